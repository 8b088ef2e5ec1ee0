-- Fees and volume of one subaccount by day and market, exactly, from a CSV file of monitor export fills.
-- Numbers are read as text and made DECIMAL: as DOUBLE they would not add up to the last digit.
SELECT
  CAST(CAST(time AS TIMESTAMP) AS DATE) AS day,
  market_type || '/' || market_id AS market,
  count(*) AS fills,
  sum(CAST(quote_notional AS DECIMAL(38, 9))) AS volume_quote,
  sum(CAST(fee_quote AS DECIMAL(38, 9))) AS fees_quote
FROM read_csv('fills.csv', header = true, all_varchar = true)
GROUP BY ALL
ORDER BY ALL;
