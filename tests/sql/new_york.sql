-- needs: data/road/USA-road-d.NY.gr.gz
-- New York's roads (9th DIMACS Implementation Challenge): compares a neighbourhood with plain recursive SQL, and proves the
-- distances of the whole city without a second search.
CREATE TABLE road(src INTEGER, dst INTEGER, weight INTEGER);
CREATE TEMP TABLE line(a, src, dst, weight);
.mode list
.separator ' '
.import '|zcat data/road/USA-road-d.NY.gr.gz | grep ^a' line
INSERT INTO road SELECT src, dst, weight FROM line;
DROP TABLE line;
.separator '|'
CREATE INDEX road_by_src ON road(src);

-- Within 8 roads, and within 500 m (weights are decimetres).
CREATE TABLE near AS
WITH RECURSIVE walk(vertex, depth) AS (
    SELECT 187538, 0 UNION SELECT dst, depth + 1 FROM walk JOIN road ON src = vertex WHERE depth < 8)
SELECT 'depth' AS what, vertex, min(depth) AS value FROM walk GROUP BY vertex;
INSERT INTO near
WITH RECURSIVE walk(vertex, distance) AS (
    SELECT 187538, 0 UNION SELECT dst, distance + weight FROM walk JOIN road ON src = vertex WHERE distance + weight <= 5000)
SELECT 'distance', vertex, min(distance) FROM walk GROUP BY vertex;
CREATE TABLE near_answer AS
SELECT 'depth' AS what, vertex, depth AS value FROM gpu_bfs('road', 187538) WHERE depth <= 8
UNION ALL SELECT 'distance', vertex, distance FROM gpu_sssp('road', 187538) WHERE distance <= 5000;
SELECT 'missing', * FROM (SELECT * FROM near EXCEPT SELECT * FROM near_answer);
SELECT 'wrong', * FROM (SELECT * FROM near_answer EXCEPT SELECT * FROM near);
SELECT what, count(*) FROM near_answer GROUP BY what;

-- The proof: no edge is shorter than the difference between the distances of its ends, no edge leads to an unreached vertex,
-- and an edge of exactly this length from a nearer vertex leads to each vertex except the source.
CREATE TABLE field(vertex INTEGER PRIMARY KEY, distance INTEGER, parent INTEGER, edge INTEGER);
INSERT INTO field SELECT vertex, distance, parent, edge FROM gpu_sssp('road', 187538);
SELECT 'too far', road.* FROM road JOIN field a ON a.vertex = src LEFT JOIN field b ON b.vertex = dst
WHERE b.vertex IS NULL OR b.distance > a.distance + weight LIMIT 5;
SELECT 'no such edge', f.* FROM field f LEFT JOIN road r ON r.rowid = f.edge LEFT JOIN field p ON p.vertex = f.parent
WHERE f.vertex <> 187538 AND (r.src IS NOT f.parent OR r.dst IS NOT f.vertex OR p.distance + r.weight IS NOT f.distance
                              OR p.distance >= f.distance) LIMIT 5;
SELECT 'source', distance, parent, edge FROM field WHERE vertex = 187538;
SELECT 'reached', count(*) FROM field;
-- The smallest of equally good edges wins: this file has 3,746 arcs twice.
SELECT 'not the smallest', f.vertex, f.edge, r.rowid FROM road r JOIN field f ON f.vertex = dst JOIN field p ON p.vertex = src
WHERE p.distance + weight = f.distance AND r.rowid < f.edge LIMIT 5;

-- The tree of a breadth-first search, with a similar proof.
CREATE TABLE level(vertex INTEGER PRIMARY KEY, depth INTEGER, parent INTEGER, edge INTEGER);
INSERT INTO level SELECT vertex, depth, parent, edge FROM gpu_bfs('road', 187538);
SELECT 'too deep', road.* FROM road JOIN level a ON a.vertex = src LEFT JOIN level b ON b.vertex = dst
WHERE b.vertex IS NULL OR b.depth > a.depth + 1 LIMIT 5;
SELECT 'no such edge', l.* FROM level l LEFT JOIN road r ON r.rowid = l.edge LEFT JOIN level p ON p.vertex = l.parent
WHERE l.depth > 0 AND (r.src IS NOT l.parent OR r.dst IS NOT l.vertex OR p.depth + 1 IS NOT l.depth) LIMIT 5;
SELECT 'reached', count(*) FROM level;

-- A maximal independent set.
CREATE TABLE member(vertex INTEGER PRIMARY KEY);
INSERT INTO member SELECT vertex FROM gpu_mis('road');
SELECT 'not independent', * FROM road WHERE src IN member AND dst IN member AND src <> dst LIMIT 5;
SELECT 'not maximal', vertex FROM field WHERE vertex NOT IN member
AND NOT EXISTS (SELECT 1 FROM road WHERE src = vertex AND dst IN member) LIMIT 5;

-- Any depth-first tree has every vertex once, existing edges, and nested numbers.
CREATE TABLE tree(vertex INTEGER PRIMARY KEY, depth INTEGER, parent INTEGER, edge INTEGER, preorder INTEGER, postorder INTEGER);
INSERT INTO tree SELECT vertex, depth, parent, edge, preorder, postorder FROM gpu_dfs('road', 187538);
SELECT 'tree', count(*), min(preorder), max(preorder), count(DISTINCT preorder), count(DISTINCT postorder) FROM tree;
SELECT 'not a tree', t.* FROM tree t LEFT JOIN tree p ON p.vertex = t.parent LEFT JOIN road r ON r.rowid = t.edge
WHERE t.vertex <> 187538 AND (r.src IS NOT t.parent OR r.dst IS NOT t.vertex OR t.depth <> p.depth + 1
                              OR t.preorder <= p.preorder OR t.postorder >= p.postorder) LIMIT 5;
