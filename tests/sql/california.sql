-- needs: data/road/cal.cedge.gz
-- California's main roads (Li et al.): REAL weights, undirected, columns found by name. Equals plain SQL bit for bit.
CREATE TABLE road(id INTEGER PRIMARY KEY, source INTEGER, target INTEGER, length REAL);
.mode list
.separator ' '
.import '|zcat data/road/cal.cedge.gz' road
.separator '|'
CREATE TABLE edge AS SELECT id, source AS src, target AS dst, length AS weight FROM road
UNION ALL SELECT id, target, source, length FROM road;
CREATE TABLE start(vertex);
INSERT INTO start VALUES (0);
.read oracles/sssp.sql
CREATE TABLE answer AS SELECT vertex, distance, parent, edge FROM gpu_sssp('road', 0) WHERE direction = 'both';
SELECT 'missing', * FROM (SELECT vertex, distance, parent, edge FROM sssp EXCEPT SELECT * FROM answer) LIMIT 5;
SELECT 'wrong', * FROM (SELECT * FROM answer EXCEPT SELECT vertex, distance, parent, edge FROM sssp) LIMIT 5;
SELECT 'reached', count(*) FROM answer;
-- Edge 0 is an id like any other.
SELECT 'first step', seq, vertex, edge FROM gpu_path('road', 0, 1) WHERE direction = 'both';
