INSERT INTO account (wallet, username, email, email_verified, worker, unfiltered, operator, created_at) VALUES ('0xann', 'ann', '', FALSE, TRUE, FALSE, TRUE, 1);
INSERT INTO api_key (hash, wallet, hint, name, created_at, revoked_at) VALUES ('hash-of-a-key', '0xann', '12345678', 'laptop', 1, 0);
INSERT INTO purse (wallet, token, granted, spent, held) VALUES ('0xann', 'spark', 100, 30, 20);
INSERT INTO ledger (cause, kind, token, wallet, amount, at, app) VALUES ('credit/1', 'grant', 'spark', '0xann', 100, 1, '');
INSERT INTO ledger (cause, kind, token, wallet, amount, at, app) VALUES ('job/job-done/1', 'spend', 'spark', '0xann', 30, 3, 'studio');
INSERT INTO hold (cause, token, wallet, amount, at) VALUES ('job/job-queued/1', 'spark', '0xann', 20, 4);
INSERT INTO job (id, project_id, wallet, owner_kind, owner_id, owner_part, spec, network, model_id, class, class_limit, state, turn, attempt, cancel, worker_id, lease_until, progress, message, charge, error, created_at, started_at, ended_at)
	VALUES ('job-done', 'p1', '0xann', 'workflow', 'wf_1', '0', '{"modelId":"m","tool":"generate_image"}', 'fast', 'm', '', 0, 'completed', 1, 1, FALSE, 'w', 9, 1, '', '{}', '{}', 1, 2, 3);
INSERT INTO job (id, project_id, wallet, owner_kind, owner_id, owner_part, spec, network, model_id, class, class_limit, state, turn, attempt, cancel, worker_id, lease_until, progress, message, charge, error, created_at, started_at, ended_at)
	VALUES ('job-queued', 'p2', '0xann', 'workflow', 'wf_2', '0', '{"modelId":"m","tool":"generate_image"}', 'fast', 'm', '', 0, 'queued', 2, 1, FALSE, '', 0, 0, '', '{}', '{}', 4, 0, 0);
INSERT INTO artifact (id, project_id, job_id, position, kind, content_type, object_key, bytes, width, height, duration, seed, metadata)
	VALUES ('a', 'p1', 'job-done', 0, 'image', 'image/png', 'results/a', 9, 64, 48, 0, 7, '{}');
INSERT INTO work_record (wallet, cause, at, app, network, model_id, failed, by_plan, spark, usd, spark_spent, paid_spark_spent, svc_spent, worker, nft, work_ms, render_ms, switch_ms, priming_ms, pay_usd, pay_svc)
	VALUES ('0xann', 'job/job-done/1', 3, 'studio', 'fast', 'm', FALSE, FALSE, 30, 1, 30, 0, 0, '0xann', '', 1, 1, 0, 0, 0, 0);
INSERT INTO workflow (id, wallet, status, waiting, plan, state, events, created_at, updated_at) VALUES ('wf_1', '0xann', 'completed', '', '{}', '{}', 1, 1, 3);
INSERT INTO workflow (id, wallet, status, waiting, plan, state, events, created_at, updated_at) VALUES ('wf_2', '0xann', 'running', '', '{}', '{}', 0, 1, 3), ('wf_3', '0xann', 'waiting_for_user', 'cost_approval', '{}', '{}', 0, 1, 3);
INSERT INTO stored (id, wallet, ended_at, bytes) VALUES ('wf_1', '0xann', 3, 2052), ('wf_2', '0xann', 0, 2052), ('wf_3', '0xann', 0, 2052);
INSERT INTO stored_total (wallet, bytes) VALUES ('0xann', 6156);
INSERT INTO event (log, sequence, type, at, message, payload, status, waiting) VALUES ('wf_1', 0, 'workflow_started', 5, 'hello', '{"workflowId":"wf_1","stepCount":1,"title":"A fox"}', 'queued', '');
INSERT INTO idempotency (wallet, scope, key, resource, digest, answer, created_at) VALUES ('0xann', 'workflow', 'k', 'wf_1', 'd', '', 6);
