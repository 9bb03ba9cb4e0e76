-- Components in plain SQL.
--
--   edge(id, src, dst)          the edges
--   -> components(vertex, weak, strong)
--
-- Lists all pairs of vertices of which one reaches the other, in both directions and
-- along the edges; so it suits small graphs only.

DROP TABLE IF EXISTS components;
CREATE TABLE components AS
WITH RECURSIVE
    vertex(id) AS (SELECT src FROM edge UNION SELECT dst FROM edge),
    reach(a, b) AS (SELECT id, id FROM vertex UNION SELECT a, dst FROM reach JOIN edge ON src = b),
    near(a, b) AS (SELECT src, dst FROM edge UNION SELECT dst, src FROM edge),
    connected(a, b) AS (SELECT id, id FROM vertex UNION SELECT c.a, n.b FROM connected c JOIN near n ON n.a = c.b)
SELECT id AS vertex,
       (SELECT min(b) FROM connected WHERE a = id) AS weak,
       (SELECT min(f.b) FROM reach f JOIN reach r ON r.a = f.b AND r.b = f.a WHERE f.a = id) AS strong
FROM vertex;
