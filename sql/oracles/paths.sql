-- The shortest paths in order, in plain SQL.
--
--   edge(id, src, dst, weight)     the edges; ids from 1 to 9999
--   trip(source, target, k)        one row
--   -> paths(path, distance, edges)    edges: their ids in the order of travel, four digits each
--
-- Lists all paths without a repeated vertex, so it suits small graphs only. The visited
-- vertices are a text, separated by commas.

DROP TABLE IF EXISTS paths;
CREATE TABLE paths AS
WITH RECURSIVE
    way(vertex, distance, edges, passed) AS (
        SELECT source, 0, '', ',' || source || ',' FROM trip
        UNION ALL
        SELECT dst, distance + weight, edges || printf('%04d ', id), passed || dst || ','
        FROM way JOIN edge ON src = vertex, trip
        WHERE vertex IS NOT target AND NOT instr(passed, ',' || dst || ',')),
    placed AS (
        SELECT row_number() OVER (ORDER BY distance, edges) AS path, distance, edges FROM way, trip WHERE vertex = target)
SELECT path, distance, edges FROM placed, trip WHERE path <= k;
