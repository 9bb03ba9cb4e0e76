-- The lexicographic depth-first tree in plain SQL.
--
--   edge(id, src, dst)   the arcs of the search (undirected: each edge in both directions)
--   start(vertex)        one row
--   -> dfs(vertex, depth, parent, edge, preorder, postorder)
--
-- Each tick is one move of the walker: down to the first unvisited neighbour, or back up.
-- The one row of `walker` has its vertex and the numbers of vertices that it has entered
-- and left.

DROP TABLE IF EXISTS dfs;
CREATE TABLE dfs AS
SELECT src AS vertex, 0 AS depth, src AS parent, id AS edge, 0 AS preorder, 0 AS postorder FROM edge WHERE false;
CREATE UNIQUE INDEX dfs_by_vertex ON dfs(vertex);
CREATE INDEX IF NOT EXISTS edge_by_src_dst ON edge(src, dst, id);
INSERT INTO dfs(vertex, depth, preorder) SELECT vertex, 0, 0 FROM start
WHERE vertex IN (SELECT src FROM edge UNION SELECT dst FROM edge);
DROP TABLE IF EXISTS walker;
CREATE TABLE walker AS SELECT vertex, 1 AS entered, 0 AS left, parent AS next, edge FROM dfs;

DROP TABLE IF EXISTS tick;
CREATE TABLE tick(move INTEGER);
CREATE TRIGGER next_move AFTER INSERT ON tick WHEN (SELECT vertex FROM walker) IS NOT NULL
BEGIN
    UPDATE walker SET (next, edge) = (
        SELECT e.dst, e.id FROM edge e
        WHERE e.src = walker.vertex AND e.dst NOT IN (SELECT vertex FROM dfs)
        ORDER BY e.dst, e.id LIMIT 1);
    -- down
    INSERT INTO dfs(vertex, depth, parent, edge, preorder)
    SELECT w.next, d.depth + 1, w.vertex, w.edge, w.entered
    FROM walker w JOIN dfs d ON d.vertex = w.vertex WHERE w.next IS NOT NULL;
    -- or up
    UPDATE dfs SET postorder = (SELECT left FROM walker)
    WHERE vertex = (SELECT vertex FROM walker WHERE next IS NULL);
    UPDATE walker SET entered = entered + (next IS NOT NULL), left = left + (next IS NULL),
                      vertex = iif(next IS NOT NULL, next, (SELECT parent FROM dfs d WHERE d.vertex = walker.vertex));
END;
INSERT INTO tick SELECT value FROM generate_series(1, 2 * (SELECT count(*) FROM edge) + 2);
DROP TABLE tick;
