CREATE EXTENSION onefold;
SET extra_float_digits = 1;
-- Every aggregate, of rows that floating-point sums get wrong.
CREATE TABLE t (i int, g int, x float8, y float8);
INSERT INTO t VALUES (1, 1, 1e16, 1), (2, 1, 1, 2), (3, 1, -1e16, 4), (4, 2, 4, 5), (5, 2, NULL, 6), (6, 2, 6, 9);
SELECT g, sum(x), exact_sum(x), exact_avg(x), exact_rms(y) FROM t GROUP BY g ORDER BY g;
SELECT g, exact_var(y), exact_var_samp(y), exact_var_pop(y), exact_stddev(y), exact_stddev_samp(y), exact_stddev_pop(y)
  FROM t GROUP BY g ORDER BY g;
SELECT exact_dot(y, i), exact_corr(y, i), exact_covar_samp(y, i), exact_covar_pop(y, i), exact_regr_slope(y, i),
  exact_regr_intercept(y, i) FROM t;
SELECT exact_sum(x), exact_var(x), exact_corr(x, y) FROM t WHERE i = 5;
SELECT exact_sum(x), exact_var(x), exact_corr(x, y) FROM t WHERE i > 9;
SELECT exact_sum(v), exact_sum(v::float8) FROM (VALUES (9007199254740992::int8), (1), (1)) w(v);
-- Columns keep their types: no cast loses digits.
SELECT exact_sum(v::int2), exact_sum(v::int4), exact_sum(v::float4), exact_sum(v::numeric), exact_dot(v::int2, v::int8),
  exact_dot(v::float4, v::int4), exact_dot(v::numeric, v::float8) FROM (VALUES (1), (2), (NULL)) w(v);
SELECT exact_dot(a, b) FROM (VALUES (9007199254740993::int8, 3::int4)) w(a, b);
SELECT exact_dot(a, b) FROM (VALUES (9007199254740993::int8, 3::float8)) w(a, b);
SELECT exact_dot(b, a) FROM (VALUES (9007199254740993::int8, 3::float4)) w(a, b);
SELECT exact_sum(NULL), exact_sum(NULL::date);
SELECT exact_sum('2026-01-01'::date);
SELECT exact_sum('1');
SELECT exact_sum(v) FROM (VALUES ('Infinity'::float8), ('-Infinity')) w(v);
-- Frames that slide remove their first row exactly.
SELECT i, exact_sum(x) OVER w, exact_avg(y) OVER w, exact_corr(x, y) OVER w FROM t
  WINDOW w AS (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW);
SELECT i, exact_sum(z) OVER (ORDER BY i ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING)
  FROM (VALUES (1, 0::float8), (2, '-0'), (3, 'NaN'), (4, '-0'), (5, 1)) v(i, z);
-- States are a type.
CREATE TABLE parts AS SELECT g, onefold_gather('mean,var', x) AS s FROM t GROUP BY g;
SELECT onefold_answer(onefold_merge(s), 'mean'), onefold_answer(onefold_merge(s), 'var', '1') FROM parts;
SELECT onefold_digest(onefold_merge(s)) = (SELECT onefold_digest(onefold_gather('mean,var', x)) FROM t) FROM parts;
SELECT onefold_digest(onefold_remove((SELECT onefold_merge(s) FROM parts), s)) = (SELECT onefold_digest(s) FROM parts WHERE g = 1)
  FROM parts WHERE g = 2;
SELECT s::text::onefold_state::bytea = s::bytea FROM parts;
SELECT onefold_answer(onefold_gather('corr', y, i), 'corr') FROM t;
SELECT onefold_answer(s, 'max') FROM parts;
SELECT 'no state'::onefold_state;
SELECT '\x'::onefold_state;
SELECT onefold_gather(NULL, x) FROM t;
SELECT onefold_gather(CASE i WHEN 1 THEN 'mean' ELSE 'var' END, x) FROM t;
SELECT onefold_merge(s) IS NULL FROM parts WHERE g > 9;
