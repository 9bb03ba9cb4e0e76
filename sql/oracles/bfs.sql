-- Breadth-first search in plain SQL.
--
--   edge(id, src, dst)   the arcs of the search (undirected: each edge in both directions)
--   start(vertex)        the sources
--   -> bfs(vertex, depth, parent, edge)
--
-- The table `tick` drives the search: each row inserted into it fires a trigger that
-- finds one more level. After an empty level the trigger costs next to nothing, so there
-- are as many ticks as there may be levels. (A table made from `edge` has the types of
-- `edge`, so the indexes match; CROSS JOIN fixes the order of the joins.)

DROP TABLE IF EXISTS bfs;
CREATE TABLE bfs AS SELECT src AS vertex, 0 AS depth, src AS parent, id AS edge FROM edge WHERE false;
CREATE UNIQUE INDEX bfs_by_vertex ON bfs(vertex);
CREATE INDEX bfs_by_depth ON bfs(depth);
CREATE INDEX IF NOT EXISTS edge_by_src ON edge(src);
CREATE INDEX IF NOT EXISTS edge_by_dst ON edge(dst);
INSERT INTO bfs(vertex, depth) SELECT DISTINCT vertex, 0 FROM start
WHERE vertex IN (SELECT src FROM edge UNION SELECT dst FROM edge);

DROP TABLE IF EXISTS tick;
CREATE TABLE tick(level INTEGER);
CREATE TRIGGER next_level AFTER INSERT ON tick WHEN EXISTS (SELECT 1 FROM bfs WHERE depth = new.level - 1)
BEGIN
    INSERT OR IGNORE INTO bfs(vertex, depth)
    SELECT e.dst, new.level FROM bfs b CROSS JOIN edge e ON e.src = b.vertex WHERE b.depth = new.level - 1;
END;
INSERT INTO tick SELECT value FROM generate_series(1, (SELECT count(*) FROM edge));
DROP TABLE tick;

-- The tree: among the edges from vertices one level nearer, the one with the smallest id.
UPDATE bfs SET edge = (SELECT min(e.id) FROM edge e CROSS JOIN bfs b ON b.vertex = e.src
                       WHERE e.dst = bfs.vertex AND b.depth = bfs.depth - 1);
UPDATE bfs SET parent = (SELECT e.src FROM edge e CROSS JOIN bfs b ON b.vertex = e.src
                         WHERE e.id = bfs.edge AND e.dst = bfs.vertex AND b.depth = bfs.depth - 1);
