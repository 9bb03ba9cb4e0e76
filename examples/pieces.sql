-- Draws an SVG map of New York in SQL: the components of short roads, one colour for each. Reads the tables
-- roads and crossings of new_york.sql, and prints the file.

.mode list
.headers off

-- Roads shorter than 130 m (lengths are decimetres) connect crossings; each component has a rank by size.
CREATE TEMP TABLE piece(vertex INTEGER PRIMARY KEY, component);
INSERT INTO piece
SELECT vertex, component FROM gpu_components('SELECT src, dst FROM roads WHERE length < 1300');
CREATE TEMP TABLE ranked(component INTEGER PRIMARY KEY, size, rank);
INSERT INTO ranked
SELECT component, count(*), row_number() OVER (ORDER BY count(*) DESC, component) FROM piece GROUP BY component;

-- The window, in degrees; 1000 units wide. A degree of longitude is cos(latitude) times as long as one of latitude.
CREATE TEMP TABLE page AS
SELECT *, round((north - south) / (east - west) * 1000 / cos(radians((north + south) / 2))) AS height
FROM (SELECT -74.085 AS west, -73.765 AS east, 40.565 AS south, 40.895 AS north);

CREATE TEMP TABLE dot(id INTEGER PRIMARY KEY, x, y, rank);
INSERT INTO dot
SELECT c.id, round((lon - west) / (east - west) * 1000, 1), round((north - lat) / (north - south) * height, 1),
       iif(size >= 40, rank, NULL)
FROM page, crossings c LEFT JOIN piece ON vertex = c.id LEFT JOIN ranked USING (component)
WHERE lat BETWEEN south AND north AND lon BETWEEN west AND east;

SELECT printf('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 %d" font-family="Georgia, serif">'
           || '<defs><radialGradient id="shade" cx="0" cy="0" r="1"><stop offset=".5" stop-color="#07090f" stop-opacity=".85"/>'
           || '<stop offset="1" stop-color="#07090f" stop-opacity="0"/></radialGradient></defs>'
           || '<rect width="1000" height="%d" fill="#07090f"/>', height, height + 1)
FROM page;

-- One <path> for each component. Components of neighbouring ranks differ by a golden angle of hue; small components are
-- grey. Each road is a step 'M x y l dx dy'.
SELECT '<g fill="none" stroke-width=".8" stroke-linecap="round">';
SELECT printf('<path stroke="%s" d="%s"/>',
              iif(rank IS NULL, '#2a3040', printf('hsl(%d,%d%%,%d%%)', rank * 137.508 % 360, 65 + rank * 7 % 25, 55 + rank * 5 % 15)),
              group_concat(printf('M%g %gl%g %g', x, y, dx, dy), ''))
FROM (SELECT p.x, p.y, round(q.x - p.x, 1) AS dx, round(q.y - p.y, 1) AS dy, iif(p.rank = q.rank AND length < 1300, p.rank, NULL) AS rank
      FROM roads JOIN dot p ON p.id = src JOIN dot q ON q.id = dst)
GROUP BY rank ORDER BY rank;
SELECT '</g><rect width="520" height="230" fill="url(#shade)"/>';

SELECT printf('<g fill="#fff"><text x="36" y="62" font-size="38">New York in pieces</text>'
           || '<text x="37" y="88" font-size="15" fill="#aab4c8">components of roads shorter than 130 m</text>'
           || '<text x="37" y="110" font-size="15" fill="#aab4c8">%,d components of %,d crossings</text></g></svg>',
              (SELECT count(*) FROM ranked), (SELECT count(*) FROM piece));
