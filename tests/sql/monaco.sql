-- needs: data/osm/monaco.edges.tsv.gz
-- Monaco's streets (OpenStreetMap, ODbL): ids beyond 32 bits, REAL weights, one-way streets. Shortest paths in each direction
-- equal plain SQL bit for bit.
CREATE TABLE street(src INTEGER, dst INTEGER, metres REAL, way INTEGER, highway TEXT, name TEXT);
.mode tabs
.import '|zcat data/osm/monaco.edges.tsv.gz' street
.mode list
CREATE TABLE edge AS SELECT rowid AS id, src, dst, metres AS weight FROM street;
CREATE TABLE start(vertex);
INSERT INTO start VALUES (21912099);

.read oracles/sssp.sql
CREATE TABLE oracle AS SELECT 'out' AS way, vertex, distance, parent, edge FROM sssp;
UPDATE edge SET src = dst, dst = src;
.read oracles/sssp.sql
INSERT INTO oracle SELECT 'in', vertex, distance, parent, edge FROM sssp;
INSERT INTO edge SELECT rowid, src, dst, metres FROM street;
.read oracles/sssp.sql
INSERT INTO oracle SELECT 'both', vertex, distance, parent, edge FROM sssp;

CREATE TABLE answer AS
SELECT 'out' AS way, vertex, distance, parent, edge FROM gpu_sssp('street(src, dst, metres)', 21912099)
UNION ALL SELECT 'in', vertex, distance, parent, edge FROM gpu_sssp('street(src, dst, metres)', 21912099) WHERE direction = 'in'
UNION ALL SELECT 'both', vertex, distance, parent, edge
FROM gpu_sssp('street(src, dst, metres)', 21912099) WHERE direction = 'both';
SELECT 'missing', * FROM (SELECT * FROM oracle EXCEPT SELECT * FROM answer) LIMIT 5;
SELECT 'wrong', * FROM (SELECT * FROM answer EXCEPT SELECT * FROM oracle) LIMIT 5;
SELECT way, count(*), (SELECT count(*) FROM oracle o WHERE o.way = a.way), group_concat(DISTINCT typeof(distance))
FROM answer a GROUP BY way;

-- A path is a chain of the tree, edge by edge, and joins with the columns of the street.
SELECT 'wrong path', p.*
FROM (SELECT vertex AS goal FROM answer WHERE way = 'out' ORDER BY distance DESC LIMIT 1),
     gpu_path('street(src, dst, metres)', 21912099, goal) p
LEFT JOIN answer a ON a.way = 'out' AND a.vertex = p.vertex
WHERE a.edge IS NOT p.edge OR a.distance IS NOT p.distance
   OR p.cost IS NOT (SELECT metres FROM street WHERE rowid = p.edge);
SELECT 'steps', count(*) > 50, max(name) <> ''
FROM (SELECT vertex AS goal FROM answer WHERE way = 'out' ORDER BY distance DESC LIMIT 1),
     gpu_path('street(src, dst, metres)', 21912099, goal) p LEFT JOIN street s ON s.rowid = p.edge;
-- A query as an edge source, without steps and footways.
SELECT 'without footways', count(*) = (
    WITH RECURSIVE reach(v) AS (
        SELECT 21912099 UNION SELECT dst FROM reach JOIN street ON src = v WHERE highway NOT IN ('steps', 'footway'))
    SELECT count(*) FROM reach)
FROM gpu_bfs('SELECT src, dst FROM street WHERE highway NOT IN (''steps'', ''footway'')', 21912099);
