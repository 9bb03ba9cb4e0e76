-- The whole LDBC Graphalytics suite: BFS, PR, WCC, CDLP, LCC and SSSP, on the two example graphs and the twelve
-- validation graphs of LDBC. Compares answers with the published outputs.
CREATE TABLE directed(src INTEGER, dst INTEGER, weight REAL);
CREATE TABLE undirected(src INTEGER, dst INTEGER, weight REAL);
CREATE TABLE validation(test TEXT, src INTEGER, dst INTEGER, weight REAL);
CREATE TABLE expected(test TEXT, vertex INTEGER, value REAL);
CREATE TABLE line(vertex, value);
.mode list
.separator ' '
.import fixtures/ldbc/example-directed.e directed
.import fixtures/ldbc/example-undirected.e undirected
.import fixtures/ldbc/example-directed-BFS line
INSERT INTO expected SELECT 'directed bfs', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-directed-CDLP line
INSERT INTO expected SELECT 'directed cdlp', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-directed-LCC line
INSERT INTO expected SELECT 'directed lcc', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-directed-PR line
INSERT INTO expected SELECT 'directed pr', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-directed-SSSP line
INSERT INTO expected SELECT 'directed sssp', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-directed-WCC line
INSERT INTO expected SELECT 'directed wcc', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-undirected-BFS line
INSERT INTO expected SELECT 'undirected bfs', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-undirected-CDLP line
INSERT INTO expected SELECT 'undirected cdlp', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-undirected-LCC line
INSERT INTO expected SELECT 'undirected lcc', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-undirected-PR line
INSERT INTO expected SELECT 'undirected pr', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-undirected-SSSP line
INSERT INTO expected SELECT 'undirected sssp', * FROM line; DELETE FROM line;
.import fixtures/ldbc/example-undirected-WCC line
INSERT INTO expected SELECT 'undirected wcc', * FROM line; DELETE FROM line;
.import fixtures/ldbc/validation/bfs-dir-output line
INSERT INTO expected SELECT 'bfs dir', * FROM line; DELETE FROM line;
.import fixtures/ldbc/validation/cdlp-dir-output line
INSERT INTO expected SELECT 'cdlp dir', * FROM line; DELETE FROM line;
.import fixtures/ldbc/validation/lcc-dir-output line
INSERT INTO expected SELECT 'lcc dir', * FROM line; DELETE FROM line;
.import fixtures/ldbc/validation/pr-dir-output line
INSERT INTO expected SELECT 'pr dir', * FROM line; DELETE FROM line;
.import fixtures/ldbc/validation/sssp-dir-output line
INSERT INTO expected SELECT 'sssp dir', * FROM line; DELETE FROM line;
.import fixtures/ldbc/validation/wcc-dir-output line
INSERT INTO expected SELECT 'wcc dir', * FROM line; DELETE FROM line;
.import fixtures/ldbc/validation/bfs-undir-output line
INSERT INTO expected SELECT 'bfs undir', * FROM line; DELETE FROM line;
.import fixtures/ldbc/validation/cdlp-undir-output line
INSERT INTO expected SELECT 'cdlp undir', * FROM line; DELETE FROM line;
.import fixtures/ldbc/validation/lcc-undir-output line
INSERT INTO expected SELECT 'lcc undir', * FROM line; DELETE FROM line;
.import fixtures/ldbc/validation/pr-undir-output line
INSERT INTO expected SELECT 'pr undir', * FROM line; DELETE FROM line;
.import fixtures/ldbc/validation/sssp-undir-output line
INSERT INTO expected SELECT 'sssp undir', * FROM line; DELETE FROM line;
.import fixtures/ldbc/validation/wcc-undir-output line
INSERT INTO expected SELECT 'wcc undir', * FROM line; DELETE FROM line;
-- Vertices that are not reached.
DELETE FROM expected WHERE value > 1e18 OR value = 'Infinity';

-- A line has a vertex and its neighbours. Both ends of an undirected edge list it.
CREATE TABLE adjacency(line TEXT);
CREATE TABLE edge(src INTEGER, dst INTEGER, weight REAL);
CREATE TRIGGER parse AFTER INSERT ON adjacency BEGIN
    INSERT INTO edge SELECT CAST(new.line AS INTEGER), value, NULL
    FROM json_each('[' || replace(new.line, ' ', ',') || ']') WHERE key > 0;
END;
.separator '|'
.import fixtures/ldbc/validation/bfs-dir-input adjacency
INSERT INTO validation SELECT DISTINCT 'bfs dir', src, dst, weight FROM edge; DELETE FROM edge;
.separator '|'
.import fixtures/ldbc/validation/cdlp-dir-input adjacency
INSERT INTO validation SELECT DISTINCT 'cdlp dir', src, dst, weight FROM edge; DELETE FROM edge;
.separator '|'
.import fixtures/ldbc/validation/lcc-dir-input adjacency
INSERT INTO validation SELECT DISTINCT 'lcc dir', src, dst, weight FROM edge; DELETE FROM edge;
.separator '|'
.import fixtures/ldbc/validation/pr-dir-input adjacency
INSERT INTO validation SELECT DISTINCT 'pr dir', src, dst, weight FROM edge; DELETE FROM edge;
.separator ' '
.import fixtures/ldbc/validation/sssp-dir-input.e edge
INSERT INTO validation SELECT DISTINCT 'sssp dir', src, dst, weight FROM edge; DELETE FROM edge;
.separator '|'
.import fixtures/ldbc/validation/wcc-dir-input adjacency
INSERT INTO validation SELECT DISTINCT 'wcc dir', src, dst, weight FROM edge; DELETE FROM edge;
.separator '|'
.import fixtures/ldbc/validation/bfs-undir-input adjacency
INSERT INTO validation SELECT DISTINCT 'bfs undir', min(src, dst), max(src, dst), weight FROM edge; DELETE FROM edge;
.separator '|'
.import fixtures/ldbc/validation/cdlp-undir-input adjacency
INSERT INTO validation SELECT DISTINCT 'cdlp undir', min(src, dst), max(src, dst), weight FROM edge; DELETE FROM edge;
.separator '|'
.import fixtures/ldbc/validation/lcc-undir-input adjacency
INSERT INTO validation SELECT DISTINCT 'lcc undir', min(src, dst), max(src, dst), weight FROM edge; DELETE FROM edge;
.separator '|'
.import fixtures/ldbc/validation/pr-undir-input adjacency
INSERT INTO validation SELECT DISTINCT 'pr undir', min(src, dst), max(src, dst), weight FROM edge; DELETE FROM edge;
.separator ' '
.import fixtures/ldbc/validation/sssp-undir-input.e edge
INSERT INTO validation SELECT DISTINCT 'sssp undir', min(src, dst), max(src, dst), weight FROM edge; DELETE FROM edge;
.separator '|'
.import fixtures/ldbc/validation/wcc-undir-input adjacency
INSERT INTO validation SELECT DISTINCT 'wcc undir', min(src, dst), max(src, dst), weight FROM edge; DELETE FROM edge;
.separator ' '

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

INSERT INTO answer
SELECT 'bfs dir', vertex, depth FROM gpu_bfs('SELECT src, dst FROM validation WHERE test = ?1', 1) WHERE params = json_array('bfs dir')
UNION ALL SELECT 'bfs undir', vertex, depth FROM gpu_bfs('SELECT src, dst FROM validation WHERE test = ?1', 1)
WHERE params = json_array('bfs undir') AND direction = 'both'
UNION ALL SELECT 'sssp dir', vertex, distance FROM gpu_sssp('SELECT src, dst, weight FROM validation WHERE test = ?1', 1)
WHERE params = json_array('sssp dir')
UNION ALL SELECT 'sssp undir', vertex, distance FROM gpu_sssp('SELECT src, dst, weight FROM validation WHERE test = ?1', 1)
WHERE params = json_array('sssp undir') AND direction = 'both'
UNION ALL SELECT 'wcc dir', vertex, component FROM gpu_components('SELECT src, dst FROM validation WHERE test = ?1') WHERE params = json_array('wcc dir')
UNION ALL SELECT 'wcc undir', vertex, component FROM gpu_components('SELECT src, dst FROM validation WHERE test = ?1')
WHERE params = json_array('wcc undir')
UNION ALL SELECT 'cdlp dir', vertex, label FROM gpu_label_propagation('SELECT src, dst FROM validation WHERE test = ?1')
WHERE params = json_array('cdlp dir') AND iterations = 5
UNION ALL SELECT 'cdlp undir', vertex, label FROM gpu_label_propagation('SELECT src, dst FROM validation WHERE test = ?1')
WHERE params = json_array('cdlp undir') AND iterations = 5
UNION ALL SELECT 'lcc dir', vertex, coefficient FROM gpu_triangles('SELECT src, dst FROM validation WHERE test = ?1')
WHERE params = json_array('lcc dir') AND direction = 'out'
UNION ALL SELECT 'lcc undir', vertex, coefficient FROM gpu_triangles('SELECT src, dst FROM validation WHERE test = ?1')
WHERE params = json_array('lcc undir')
UNION ALL SELECT 'pr dir', vertex, rank FROM gpu_pagerank('SELECT src, dst FROM validation WHERE test = ?1')
WHERE params = json_array('pr dir') AND iterations = 14 AND tolerance = 0
UNION ALL SELECT 'pr undir', vertex, rank FROM gpu_pagerank('SELECT src, dst FROM validation WHERE test = ?1')
WHERE params = json_array('pr undir') AND iterations = 26 AND tolerance = 0 AND direction = 'both';

-- Published values are rounded to twelve digits and more; ranks of the validation graphs were computed in 32 bits.
SELECT 'published, not answered:', * FROM expected e LEFT JOIN answer a USING (test, vertex)
WHERE a.value IS NULL OR abs(a.value - e.value) > max(1e-12, e.value * iif(test LIKE 'pr %', 1e-5, 1e-14));
SELECT 'answered, not published:', * FROM (SELECT test, vertex FROM answer EXCEPT SELECT test, vertex FROM expected);
SELECT test, count(*), 'vertices' FROM answer GROUP BY test;
SELECT 'LDBC Graphalytics:', count(*), 'tests of', count(DISTINCT replace(replace(replace(replace(test, 'undirected ', ''),
    'directed ', ''), ' undir', ''), ' dir', '')), 'algorithms' FROM (SELECT DISTINCT test FROM answer);

-- The .v files list all vertices, also isolated ones. As `vertices` they make each vertex a valid source.
INSERT INTO undirected VALUES (2, 2, 1);
CREATE TABLE place(id INTEGER);
INSERT INTO place VALUES (2), (99);
SELECT 'isolated', vertex, depth FROM gpu_bfs('undirected', 99) WHERE vertices = 'place(id)';
SELECT 'unknown', count(*) FROM gpu_bfs('undirected', 99);
