-- The aggregates of PostgreSQL: onefold--0.1.sql of the extension. MODULE_PATHNAME is onefold_postgres.so.
CREATE FUNCTION exact_combine(internal, internal) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION exact_serialize(internal) RETURNS bytea
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION exact_deserialize(bytea, internal) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
DO $do$
DECLARE
  name text;
  inputs int;
  type text;
  columns text;
BEGIN
  FOR name, inputs IN VALUES ('sum', 1), ('avg', 1), ('var', 1), ('var_samp', 1), ('var_pop', 1), ('stddev', 1),
    ('stddev_samp', 1), ('stddev_pop', 1), ('rms', 1), ('dot', 2), ('corr', 2), ('covar_samp', 2), ('covar_pop', 2),
    ('regr_slope', 2), ('regr_intercept', 2)
  LOOP
    EXECUTE format('CREATE FUNCTION exact_%s_final(internal) RETURNS float8
      AS ''MODULE_PATHNAME'' LANGUAGE C IMMUTABLE PARALLEL SAFE', name);
    FOREACH type IN ARRAY ARRAY['float8', 'float4', 'int8'] LOOP
      columns := type || CASE inputs WHEN 2 THEN ', ' || type ELSE '' END;
      EXECUTE format('CREATE FUNCTION exact_%1$s_step(internal, %2$s) RETURNS internal
        AS ''MODULE_PATHNAME'', ''exact_%1$s_step'' LANGUAGE C IMMUTABLE PARALLEL SAFE', name, columns);
      EXECUTE format('CREATE AGGREGATE exact_%1$s(%2$s) (
        SFUNC = exact_%1$s_step, STYPE = internal, SSPACE = 2048, FINALFUNC = exact_%1$s_final,
        COMBINEFUNC = exact_combine, SERIALFUNC = exact_serialize, DESERIALFUNC = exact_deserialize,
        PARALLEL = SAFE)', name, columns);
    END LOOP;
  END LOOP;
END $do$;
