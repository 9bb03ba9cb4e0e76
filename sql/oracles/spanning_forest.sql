-- The minimum spanning forest in plain SQL.
--
--   edge(id, src, dst, weight)  the edges
--   -> spanning_forest(edge, source, target, weight)
--
-- An edge belongs to the forest if the edges before it, by weight and then by id, do not
-- connect its ends.

DROP TABLE IF EXISTS spanning_forest;
CREATE TABLE spanning_forest AS
SELECT id AS edge, src AS source, dst AS target, weight FROM edge e WHERE dst NOT IN (
    WITH RECURSIVE
        before(a, b) AS (
            SELECT src, dst FROM edge WHERE (weight, id) < (e.weight, e.id)
            UNION ALL SELECT dst, src FROM edge WHERE (weight, id) < (e.weight, e.id)),
        reached(vertex) AS (SELECT e.src UNION SELECT b FROM reached JOIN before ON a = vertex)
    SELECT vertex FROM reached);
