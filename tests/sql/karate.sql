-- Zachary's karate club: compares levels and parents with those that LAGraph publishes, and checks properties of other answers.
CREATE TABLE club(src INTEGER, dst INTEGER);
CREATE TABLE published(vertex INTEGER, level INTEGER, valid_parents TEXT);
.mode tabs
.import fixtures/karate.tsv club
.import --skip 1 fixtures/karate.bfs-from-30.tsv published
.mode list

CREATE TABLE answer AS SELECT vertex, depth, parent, edge FROM gpu_bfs('club', 30) WHERE direction = 'both';
SELECT 'vertices', count(*) FROM answer;
SELECT 'wrong level', vertex, depth, level FROM published LEFT JOIN answer USING (vertex) WHERE depth IS NOT level;
SELECT 'wrong parent', vertex, parent, valid_parents FROM published JOIN answer USING (vertex)
WHERE depth > 0 AND NOT instr(',' || valid_parents || ',', ',' || parent || ',');
SELECT 'wrong edge', a.* FROM answer a LEFT JOIN club c ON c.rowid = a.edge
WHERE depth > 0 AND (min(src, dst), max(src, dst)) IS NOT (min(vertex, parent), max(vertex, parent));
-- Distances with weight 1, and the length of a path, equal the levels.
SELECT 'wrong distance', * FROM answer a
JOIN gpu_sssp('SELECT src, dst, 1 FROM club', 30) s ON s.vertex = a.vertex WHERE direction = 'both' AND distance <> depth;
SELECT 'path', group_concat(vertex, ' ') FROM (
    SELECT vertex FROM gpu_path('club', 30, 16) WHERE direction = 'both' ORDER BY seq);
SELECT 'the same as its chain', group_concat(vertex, ' ') FROM (
    WITH RECURSIVE chain(vertex, depth) AS (
        SELECT vertex, depth FROM answer WHERE vertex = 16
        UNION ALL SELECT a.vertex, a.depth FROM chain c JOIN answer p ON p.vertex = c.vertex JOIN answer a ON a.vertex = p.parent)
    SELECT vertex FROM chain ORDER BY depth);

-- A set is independent and maximal, for every priority.
CREATE TABLE member(priority TEXT, vertex INTEGER);
INSERT INTO member SELECT 'degree', vertex FROM gpu_mis('club');
INSERT INTO member SELECT 'degree-id', vertex FROM gpu_mis('club') WHERE priority = 'degree-id';
INSERT INTO member SELECT 'random', vertex FROM gpu_mis('club') WHERE priority = 'random' AND seed = 7;
INSERT INTO member SELECT 'id', vertex FROM gpu_mis('club') WHERE priority = 'id';
SELECT 'not independent', priority, src, dst FROM club JOIN member a ON a.vertex = src JOIN member b USING (priority)
WHERE b.vertex = dst;
SELECT 'not maximal', p.priority, v.vertex FROM (SELECT DISTINCT priority FROM member) p, published v
WHERE NOT EXISTS (SELECT 1 FROM member m WHERE m.priority = p.priority AND (m.vertex = v.vertex OR m.vertex IN (
    SELECT dst FROM club WHERE src = v.vertex UNION SELECT src FROM club WHERE dst = v.vertex)));
SELECT 'priorities', count(DISTINCT priority) FROM member;

-- Components and ranks of the directed edges.
CREATE TABLE edge(id INTEGER PRIMARY KEY, src, dst);
INSERT INTO edge SELECT rowid, src, dst FROM club WHERE rowid % 3 > 0;
INSERT INTO edge SELECT -rowid, dst, src FROM club WHERE rowid % 3 = 0;
CREATE TABLE wanted(damping, iterations);
INSERT INTO wanted VALUES (0.85, 15);
.read oracles/components.sql
.read oracles/pagerank.sql
.read oracles/label_propagation.sql
SELECT 'strong components', count(DISTINCT strong), count(DISTINCT weak) FROM components;
SELECT 'wrong component', * FROM components c JOIN gpu_components('edge') w USING (vertex) WHERE component <> weak;
SELECT 'wrong strong component', * FROM components c JOIN gpu_components('edge') s USING (vertex)
WHERE kind = 'strong' AND component <> strong;
SELECT 'ranks', count(*) FROM pagerank p JOIN gpu_pagerank('edge') r USING (vertex)
WHERE iterations = 15 AND tolerance = 0 AND abs(r.rank - p.rank) < 1e-14;
SELECT 'labels', count(DISTINCT p.label), count(*) FROM label_propagation p JOIN gpu_label_propagation('edge') l USING (vertex)
WHERE l.iterations = 15 AND l.label = p.label;

-- Distances between some pairs, by weights of 1 to 3.
ALTER TABLE edge ADD COLUMN weight;
UPDATE edge SET weight = 1 + abs(id) % 3;
DROP TABLE wanted;
CREATE TABLE wanted(node);
INSERT INTO wanted VALUES (0), (9), (30), (33);
.read oracles/matrix.sql
SELECT 'cells', count(*), sum(distance) FROM matrix;
SELECT 'wrong cell', * FROM (
    SELECT * FROM matrix
    UNION ALL SELECT source, target, distance
    FROM gpu_matrix('edge', (SELECT json_group_array(node) FROM wanted)))
GROUP BY 2, 3, 4 HAVING count(*) <> 2;

.read oracles/spanning_forest.sql
SELECT 'forest', count(*), sum(weight) FROM spanning_forest;
SELECT 'wrong edge of a forest', * FROM (
    SELECT f.*, weak FROM spanning_forest f JOIN components ON vertex = source
    UNION ALL SELECT * FROM gpu_spanning_forest('edge'))
GROUP BY 2, 3, 4, 5, 6 HAVING count(*) <> 2;

.read oracles/cores.sql
SELECT 'cores', count(*), max(core) FROM cores;
SELECT 'wrong core', * FROM cores o JOIN gpu_cores('edge') w USING (vertex) WHERE o.core <> w.core;

-- The first of very many paths.
CREATE TABLE trip(source, target, k);
INSERT INTO trip VALUES (0, 33, 12);
DELETE FROM edge WHERE id <= 0;
.read oracles/paths.sql
SELECT 'paths', count(*), sum(distance) FROM paths;
SELECT 'wrong path', * FROM paths p LEFT JOIN (
    SELECT path, max(distance) AS distance, group_concat(printf('%04d ', edge), '') AS edges
    FROM gpu_paths('edge', 0, 33, 12) WHERE seq > 0 GROUP BY path) g USING (path)
WHERE (p.distance, p.edges) IS NOT (g.distance, g.edges);

-- Levels need edges without a cycle.
DELETE FROM edge;
INSERT INTO edge(id, src, dst) SELECT rowid, min(src, dst), max(src, dst) FROM club;
.read oracles/topological_order.sql
SELECT 'topological order', count(*), max(level) FROM topological_order;
SELECT 'wrong order', * FROM topological_order o JOIN gpu_topological_order('edge') w USING (vertex)
WHERE o.level <> w.level OR o.position <> w.position;

-- The published number of triangles of this graph.
SELECT 'triangles', gpugraph_triangles('club');
