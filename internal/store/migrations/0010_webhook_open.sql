-- Whether a delivery is the first of its subject that is on its way, however many have ended before it.
CREATE INDEX webhook_delivery_open ON webhook_delivery (webhook_id, subject, sequence, id) WHERE status IN ('waiting', 'sending');
