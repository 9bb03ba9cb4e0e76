.headers on
.mode box --wrap 80
.echo on
-- Distances from Times Square: one search, joined with the table of landmarks.

SELECT name, printf('%.1f', distance / 1e4) AS km, replace(hex(zeroblob(distance / 20000)), '00', '█') AS ' '
FROM gpu_sssp('roads', (SELECT node FROM landmarks WHERE name = 'Times Square'))
JOIN landmarks ON node = vertex
WHERE direction = 'both' AND distance > 0
ORDER BY distance;

-- The route to the airport, in sections: each step is joined with the landmark nearest to it.

CREATE TABLE route AS
SELECT p.*
FROM landmarks a, landmarks b, gpu_path('roads', a.node, b.node) p
WHERE a.name = 'Times Square' AND b.name = 'John F. Kennedy Airport' AND direction = 'both';

SELECT min(seq) || ' - ' || max(seq) AS steps, near,
       printf('%.1f', min(distance) / 1e4) AS 'from km', printf('%.1f', max(distance) / 1e4) AS 'to km'
FROM (SELECT *, seq - row_number() OVER (PARTITION BY near ORDER BY seq) AS stretch
      FROM (SELECT seq, distance, name AS near,
                   min(abs(c.lon - l.lon) * 0.76 + abs(c.lat - l.lat))
            FROM route JOIN crossings c ON c.id = vertex, landmarks l
            GROUP BY seq))
GROUP BY near, stretch ORDER BY min(seq);

-- Crossings within 500 m of the Empire State Building: an isochrone is a search with a bound.

SELECT distance / 1000 * 100 AS 'from m', count(*) AS crossings,
       round(avg(lat), 4) AS lat, round(avg(lon), 4) AS lon
FROM gpu_sssp('roads', (SELECT node FROM landmarks WHERE name = 'Empire State Building'))
JOIN crossings ON id = vertex
WHERE direction = 'both' AND distance < 5000
GROUP BY distance / 1000;

-- The nearest landmark of each crossing by road: one search from all landmarks.

SELECT name, count(*) AS crossings, printf('%.1f', max(distance) / 1e4) AS 'farthest km'
FROM gpu_sssp JOIN landmarks ON node = source
WHERE edges = 'roads' AND sources = (SELECT json_group_array(node) FROM landmarks) AND direction = 'both'
GROUP BY name ORDER BY crossings DESC LIMIT 8;

-- The crossings with the most roads on their path: breadth-first search counts roads, not metres.

SELECT depth, vertex, lat, lon
FROM gpu_bfs('roads', (SELECT node FROM landmarks WHERE name = 'Times Square')) JOIN crossings ON id = vertex
WHERE direction = 'both'
ORDER BY depth DESC LIMIT 3;

-- Charging stations at crossings, never at both ends of a road, until no further one can be added: an independent set.

SELECT count(*) AS stations, (SELECT count(*) FROM crossings) AS crossings FROM gpu_mis('roads');

-- The time of each phase of the last query.

SELECT phase, round(ms, 1) AS ms, items, detail FROM gpugraph_timings;
