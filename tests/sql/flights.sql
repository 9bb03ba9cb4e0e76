-- needs: data/flights/routes.tsv.gz
-- The world's flights (OpenFlights, ODbL): text ids, many parallel edges, one loop. Compares levels and trees from two airports,
-- in each direction, with plain SQL.
CREATE TABLE route(src TEXT, dst TEXT, airline TEXT, stops INTEGER);
.mode tabs
.import --skip 1 '|zcat data/flights/routes.tsv.gz' route
.mode list
CREATE TABLE edge AS SELECT rowid AS id, src, dst FROM route;
CREATE TABLE start(vertex);

INSERT INTO start VALUES ('AER');
.read oracles/bfs.sql
CREATE TABLE oracle AS SELECT 'out' AS way, vertex, depth, parent, edge FROM bfs;
UPDATE edge SET src = dst, dst = src;
UPDATE start SET vertex = 'GKA';
.read oracles/bfs.sql
INSERT INTO oracle SELECT 'in', vertex, depth, parent, edge FROM bfs;
INSERT INTO edge SELECT rowid, src, dst FROM route;
.read oracles/bfs.sql
INSERT INTO oracle SELECT 'both', vertex, depth, parent, edge FROM bfs;

CREATE TABLE answer AS
SELECT 'out' AS way, vertex, depth, parent, edge FROM gpu_bfs('route', 'AER')
UNION ALL SELECT 'in', vertex, depth, parent, edge FROM gpu_bfs('route', 'GKA') WHERE direction = 'in'
UNION ALL SELECT 'both', vertex, depth, parent, edge
FROM gpu_bfs('SELECT src, dst, NULL, rowid FROM route', 'GKA') WHERE direction = 'both';
SELECT 'missing', * FROM (SELECT * FROM oracle EXCEPT SELECT * FROM answer) LIMIT 5;
SELECT 'wrong', * FROM (SELECT * FROM answer EXCEPT SELECT * FROM oracle) LIMIT 5;
SELECT way, count(*), max(depth) FROM answer GROUP BY way;

-- Runs a search for each of several airports, whose names come from a join.
SELECT s.airport, count(*), max(depth)
FROM (SELECT 'JFK' AS airport UNION ALL SELECT 'SYD' UNION ALL SELECT 'nowhere') s, gpu_bfs('route', s.airport)
GROUP BY s.airport ORDER BY s.airport;
SELECT 'by air', group_concat(vertex, ' > ') FROM (
    SELECT vertex FROM gpu_path('route(src, dst)', 'GKA', 'AER') ORDER BY seq);
