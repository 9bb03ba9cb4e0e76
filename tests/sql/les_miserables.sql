-- Compares every search on a small weighted graph with text ids with algorithms in plain SQL.
CREATE TABLE meets(src TEXT, dst TEXT, weight INTEGER);
.mode tabs
.import fixtures/les-miserables.tsv meets
.mode list

-- Undirected: the oracles have each edge in both directions, with one id.
CREATE TABLE edge AS SELECT rowid AS id, src, dst, weight FROM meets UNION ALL SELECT rowid, dst, src, weight FROM meets;
CREATE TABLE start(vertex);
INSERT INTO start VALUES ('Valjean');
.read oracles/bfs.sql
.read oracles/sssp.sql
.read oracles/dfs.sql

CREATE TABLE answer AS
SELECT 'bfs' AS search, vertex, depth AS value, parent, edge, NULL AS preorder, NULL AS postorder
FROM gpu_bfs('meets', 'Valjean') WHERE direction = 'both'
UNION ALL SELECT 'sssp', vertex, distance, parent, edge, NULL, NULL
FROM gpu_sssp('meets', 'Valjean') WHERE direction = 'both'
UNION ALL SELECT 'dfs', vertex, depth, parent, edge, preorder, postorder
FROM gpu_dfs('meets', 'Valjean') WHERE direction = 'both' AND ordered = 1;
CREATE TABLE oracle AS
SELECT 'bfs' AS search, vertex, depth AS value, parent, edge, NULL AS preorder, NULL AS postorder FROM bfs
UNION ALL SELECT 'sssp', vertex, distance, parent, edge, NULL, NULL FROM sssp
UNION ALL SELECT 'dfs', vertex, depth, parent, edge, preorder, postorder FROM dfs;
SELECT 'missing', * FROM (SELECT * FROM oracle EXCEPT SELECT * FROM answer);
SELECT 'wrong', * FROM (SELECT * FROM answer EXCEPT SELECT * FROM oracle);
SELECT search, count(*), sum(value) = (SELECT sum(value) FROM oracle o WHERE o.search = a.search)
FROM answer a GROUP BY search;
SELECT 'type of distances', group_concat(DISTINCT typeof(value)) FROM answer WHERE search = 'sssp';

-- Directed, from several sources at once: the row of each vertex names its source.
DELETE FROM edge;
INSERT INTO edge SELECT rowid, src, dst, weight FROM meets;
DELETE FROM start;
INSERT INTO start VALUES ('Valjean'), ('Javert'), ('Marius');
.read oracles/bfs.sql
.read oracles/sssp.sql
DELETE FROM answer;
DELETE FROM oracle;
INSERT INTO answer SELECT 'bfs', vertex, depth, parent, edge, source, NULL
FROM gpu_bfs WHERE edges = 'meets' AND sources = '["Valjean", "Javert", "Marius"]';
INSERT INTO answer SELECT 'sssp', vertex, distance, parent, edge, source, NULL
FROM gpu_sssp WHERE edges = 'meets' AND sources = '["Valjean", "Javert", "Marius"]';
INSERT INTO oracle
WITH RECURSIVE root(vertex, source) AS (
    SELECT vertex, vertex FROM bfs WHERE depth = 0
    UNION ALL SELECT b.vertex, r.source FROM root r JOIN bfs b ON b.parent = r.vertex)
SELECT 'bfs', vertex, depth, parent, edge, source, NULL FROM bfs JOIN root USING (vertex);
INSERT INTO oracle
WITH RECURSIVE root(vertex, source) AS (
    SELECT vertex, vertex FROM sssp WHERE vertex IN (SELECT vertex FROM start)
    UNION ALL SELECT s.vertex, r.source FROM root r JOIN sssp s ON s.parent = r.vertex)
SELECT 'sssp', vertex, distance, parent, edge, source, NULL FROM sssp JOIN root USING (vertex);
SELECT 'missing', * FROM (SELECT * FROM oracle EXCEPT SELECT * FROM answer);
SELECT 'wrong', * FROM (SELECT * FROM answer EXCEPT SELECT * FROM oracle);
SELECT search, 'from three', count(*) > 10 FROM answer GROUP BY search;

-- The sets whose priorities plain SQL can compute.
CREATE TABLE priority AS
SELECT vertex, row_number() OVER (ORDER BY vertex) AS rank
FROM (SELECT src AS vertex FROM meets UNION SELECT dst FROM meets);
.read oracles/mis.sql
SELECT 'mis by id', count(*), count(*) = (SELECT count(*) FROM mis)
FROM gpu_mis('meets') JOIN mis USING (vertex) WHERE priority = 'id';
DROP TABLE priority;
CREATE TABLE priority AS
SELECT vertex, row_number() OVER (ORDER BY count(DISTINCT neighbour), vertex) AS rank
FROM (SELECT src AS vertex, dst AS neighbour FROM meets UNION SELECT dst, src FROM meets) GROUP BY vertex;
.read oracles/mis.sql
SELECT 'mis by degree-id', count(*), count(*) = (SELECT count(*) FROM mis)
FROM gpu_mis('meets') JOIN mis USING (vertex) WHERE priority = 'degree-id';

-- Triangles of each vertex, also if some edges lead both ways.
.read oracles/triangles.sql
SELECT 'triangles of each', count(*), sum(t.triangles) FROM triangles t JOIN gpu_triangles('edge') g USING (vertex)
WHERE (t.triangles, t.degree, t.coefficient) = (g.triangles, g.degree, g.coefficient);
DELETE FROM edge WHERE id % 3 > 0 AND rowid > (SELECT count(*) FROM meets);
.read oracles/triangles.sql
SELECT 'coefficients', count(*), count(*) FILTER (WHERE directed <> t.coefficient) FROM triangles t
JOIN gpu_triangles('edge') g USING (vertex)
WHERE direction = 'out' AND (t.triangles, t.degree, t.directed) = (g.triangles, g.degree, g.coefficient);

SELECT 'triangles', gpugraph_triangles('meets') = (
    WITH e(a, b) AS (SELECT min(src, dst), max(src, dst) FROM meets)
    SELECT count(*) FROM e x JOIN e y ON y.a = x.b JOIN e z ON z.a = x.a AND z.b = y.b);
