-- A distance matrix in plain SQL.
--
--   edge(id, src, dst, weight)     the edges, weights of 0 or more
--   wanted(node)                   vertices: sources and targets
--   -> matrix(source, target, distance)
--
-- As many rounds as a longest shortest way has edges: each lengthens the ways found so far by one edge, as far as
-- they get shorter. A way has fewer edges than there are vertices, so for small graphs.

DROP TABLE IF EXISTS matrix;
CREATE TABLE matrix AS
WITH RECURSIVE
    vertex(id) AS (SELECT src FROM edge UNION SELECT dst FROM edge),
    most(steps) AS (SELECT count(*) FROM vertex),
    way(source, vertex, distance, steps) AS (
        SELECT node, node, 0, 0 FROM wanted
        UNION
        SELECT source, dst, distance + weight, way.steps + 1 FROM way JOIN edge ON src = vertex, most WHERE way.steps < most.steps)
SELECT source, vertex AS target, min(distance) AS distance FROM way WHERE vertex IN (SELECT node FROM wanted)
GROUP BY source, vertex;
