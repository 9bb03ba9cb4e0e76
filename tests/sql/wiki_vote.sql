-- needs: data/snap/wiki-Vote.tsv.gz
-- Wikipedia's votes (SNAP): a directed graph with sparse ids. Compares every search with plain SQL, and the number of triangles
-- with the one that SNAP publishes.
CREATE TABLE vote(src INTEGER, dst INTEGER);
.mode tabs
.import '|zcat data/snap/wiki-Vote.tsv.gz' vote
.mode list
CREATE TABLE edge AS SELECT rowid AS id, src, dst, (src * 7 + dst * 13) % 5 AS weight FROM vote;
CREATE TABLE start(vertex);
INSERT INTO start VALUES (3);
.read oracles/bfs.sql
.read oracles/sssp.sql
.read oracles/dfs.sql
CREATE TABLE priority AS
SELECT vertex, row_number() OVER (ORDER BY count(DISTINCT neighbour), vertex) AS rank
FROM (SELECT src AS vertex, dst AS neighbour FROM vote UNION SELECT dst, src FROM vote) GROUP BY vertex;
.read oracles/mis.sql
CREATE TABLE oracle AS
SELECT 'bfs' AS search, vertex, depth AS value, parent, edge, NULL AS preorder, NULL AS postorder FROM bfs
UNION ALL SELECT 'sssp', vertex, distance, parent, edge, NULL, NULL FROM sssp
UNION ALL SELECT 'dfs', vertex, depth, parent, edge, preorder, postorder FROM dfs
UNION ALL SELECT 'mis', vertex, NULL, NULL, NULL, NULL, NULL FROM mis;

-- Weights from 0 to 4 make many ties, also over edges of weight 0.
CREATE TABLE answer AS
SELECT 'bfs' AS search, vertex, depth AS value, parent, edge, NULL AS preorder, NULL AS postorder FROM gpu_bfs('vote', 3)
UNION ALL SELECT 'sssp', vertex, distance, parent, edge, NULL, NULL
FROM gpu_sssp('SELECT src, dst, (src * 7 + dst * 13) % 5, rowid FROM vote', 3)
UNION ALL SELECT 'dfs', vertex, depth, parent, edge, preorder, postorder FROM gpu_dfs('vote', 3) WHERE ordered = 1
UNION ALL SELECT 'mis', vertex, NULL, NULL, NULL, NULL, NULL FROM gpu_mis('vote') WHERE priority = 'degree-id';
SELECT 'missing', * FROM (SELECT * FROM oracle EXCEPT SELECT * FROM answer) LIMIT 5;
SELECT 'wrong', * FROM (SELECT * FROM answer EXCEPT SELECT * FROM oracle) LIMIT 5;
SELECT search, count(*), max(value) FROM answer GROUP BY search;
SELECT 'triangles', gpugraph_triangles('vote');
