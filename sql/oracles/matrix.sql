-- A distance matrix in plain SQL.
--
--   edge(id, src, dst, weight)     the edges, weights of 0 or more
--   wanted(node)                   vertices: sources and targets
--   -> matrix(source, target, distance)
--
-- Extends all walks by one edge at a time, up to as many edges as there are vertices, so
-- it suits small graphs only.

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
