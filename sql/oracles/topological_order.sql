-- Topological order in plain SQL.
--
--   edge(id, src, dst)          the edges, without a cycle
--   -> topological_order(vertex, level, position)
--
-- Follows every path, so it suits small graphs only.

DROP TABLE IF EXISTS topological_order;
CREATE TABLE topological_order AS
WITH RECURSIVE
    path(vertex, length) AS (
        SELECT src, 0 FROM edge UNION SELECT dst, 0 FROM edge
        UNION SELECT dst, length + 1 FROM path JOIN edge ON src = vertex)
SELECT vertex, max(length) AS level, row_number() OVER (ORDER BY max(length), vertex) - 1 AS position
FROM path GROUP BY vertex;
