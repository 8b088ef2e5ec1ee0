-- Candles of a minute with VWAP from an NDJSON file of monitor export trades. Fields are text, so that no number loses a digit.
WITH trades AS (
  SELECT
    time_bucket(INTERVAL 1 minute, make_timestamp(CAST(timestamp_ms AS BIGINT) * 1000)) AS minute,
    CAST(trade_id AS HUGEINT) AS id,
    CAST(price AS DECIMAL(38, 9)) AS price,
    CAST(quantity AS DECIMAL(38, 9)) AS quantity,
    CAST(quote_notional AS DECIMAL(38, 9)) AS notional
  FROM read_json('trades.ndjson', format = 'newline_delimited', columns = {
    trade_id: 'VARCHAR', timestamp_ms: 'VARCHAR', price: 'VARCHAR', quantity: 'VARCHAR', quote_notional: 'VARCHAR'
  })
)
SELECT
  minute,
  arg_min(price, id) AS open,
  max(price) AS high,
  min(price) AS low,
  arg_max(price, id) AS close,
  sum(quantity) AS volume_base,
  sum(notional) AS volume_quote,
  count(*) AS trades
FROM trades
GROUP BY minute
ORDER BY minute;
