"""From a configuration to tables: plan cells, protect and acquire in shards, observe, reduce."""
