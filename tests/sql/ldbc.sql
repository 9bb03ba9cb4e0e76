-- The LDBC Graphalytics example graphs against the outputs that LDBC publishes.
CREATE TABLE directed(src INTEGER, dst INTEGER, weight REAL);
CREATE TABLE undirected(src INTEGER, dst INTEGER, weight REAL);
CREATE TABLE expected(test TEXT, vertex INTEGER, value REAL);
CREATE TABLE line(vertex, value);
.mode list
.separator ' '
.import fixtures/ldbc/example-directed.e directed
.import fixtures/ldbc/example-undirected.e undirected
.import fixtures/ldbc/example-directed-BFS line
INSERT INTO expected SELECT 'directed bfs', * FROM line WHERE value <> '9223372036854775807'; DELETE FROM line;
.import fixtures/ldbc/example-directed-SSSP line
INSERT INTO expected SELECT 'directed sssp', * FROM line WHERE value <> 'Infinity'; DELETE FROM line;
.import fixtures/ldbc/example-undirected-BFS line
INSERT INTO expected SELECT 'undirected bfs', * FROM line WHERE value <> '9223372036854775807'; DELETE FROM line;
.import fixtures/ldbc/example-undirected-SSSP line
INSERT INTO expected SELECT 'undirected sssp', * FROM line WHERE value <> 'Infinity'; DELETE FROM line;
.import fixtures/ldbc/example-directed-WCC line
INSERT INTO expected SELECT 'directed wcc', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-undirected-WCC line
INSERT INTO expected SELECT 'undirected wcc', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-directed-CDLP line
INSERT INTO expected SELECT 'directed cdlp', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-undirected-CDLP line
INSERT INTO expected SELECT 'undirected cdlp', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-directed-LCC line
INSERT INTO expected SELECT 'directed lcc', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-undirected-LCC line
INSERT INTO expected SELECT 'undirected lcc', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-directed-PR line
INSERT INTO expected SELECT 'directed pr', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-undirected-PR line
INSERT INTO expected SELECT 'undirected pr', * FROM line; DELETE FROM line;

CREATE TABLE answer AS
SELECT 'directed bfs' AS test, vertex, depth AS value FROM gpu_bfs('directed', 1)
UNION ALL SELECT 'directed sssp', vertex, distance FROM gpu_sssp('directed', 1)
UNION ALL SELECT 'undirected bfs', vertex, depth FROM gpu_bfs('undirected', 2) WHERE direction = 'both'
UNION ALL SELECT 'undirected sssp', vertex, distance FROM gpu_sssp('undirected', 2) WHERE direction = 'both'
UNION ALL SELECT 'directed wcc', vertex, component FROM gpu_components('directed')
UNION ALL SELECT 'undirected wcc', vertex, component FROM gpu_components('undirected')
UNION ALL SELECT 'directed cdlp', vertex, label FROM gpu_label_propagation('directed') WHERE iterations = 2
UNION ALL SELECT 'undirected cdlp', vertex, label FROM gpu_label_propagation('undirected') WHERE iterations = 2
UNION ALL SELECT 'directed lcc', vertex, coefficient FROM gpu_triangles('directed') WHERE direction = 'out'
UNION ALL SELECT 'undirected lcc', vertex, coefficient FROM gpu_triangles('undirected')
UNION ALL SELECT 'directed pr', vertex, rank FROM gpu_pagerank('directed') WHERE iterations = 2 AND tolerance = 0
UNION ALL SELECT 'undirected pr', vertex, rank FROM gpu_pagerank('undirected')
WHERE iterations = 2 AND tolerance = 0 AND direction = 'both';

-- Sums of REALs depend on their order in the last digit.
UPDATE expected SET value = round(value, 12);
UPDATE answer SET value = round(value, 12);
SELECT 'published, not answered:', * FROM (SELECT * FROM expected EXCEPT SELECT * FROM answer);
SELECT 'answered, not published:', * FROM (SELECT * FROM answer EXCEPT SELECT * FROM expected);
SELECT test, count(*), 'vertices' FROM answer GROUP BY test;

-- The .v files list every vertex, isolated ones too: given as `vertices` they are found as a source.
INSERT INTO undirected VALUES (2, 2, 1);
CREATE TABLE place(id INTEGER);
INSERT INTO place VALUES (2), (99);
SELECT 'isolated', vertex, depth FROM gpu_bfs('undirected', 99) WHERE vertices = 'place(id)';
SELECT 'unknown', count(*) FROM gpu_bfs('undirected', 99);
