// Written by "npm run types" from ../openapi.json. Do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ActualCost: {
            byPlan: boolean;
            costInSpark: string;
            costInUSD: string;
            /** @description Why it costs nothing: remake, for what is made again because a fallback worker made it before. */
            free?: string;
        };
        Alternative: {
            available?: boolean;
            modelId: string;
            reason?: string;
        };
        Artifact: {
            durationSeconds?: number;
            height?: number;
            id: string;
            kind: string;
            mediaType: string;
            metadata?: {
                [key: string]: unknown;
            };
            mimeType?: string;
            notUnderstood?: string[];
            preview?: boolean;
            renderer?: string;
            seed?: number;
            sizeBytes?: number;
            stepId: string;
            toolName: string;
            url: string;
            width?: number;
        };
        ArtifactCreated: {
            artifactId: string;
            durationSeconds?: number;
            height?: number;
            id: string;
            kind: string;
            mediaType: string;
            metadata?: {
                [key: string]: unknown;
            };
            mimeType?: string;
            notUnderstood?: string[];
            preview?: boolean;
            renderer?: string;
            seed?: number;
            sizeBytes?: number;
            stepId: string;
            toolName: string;
            url: string;
            width?: number;
        };
        /** @description A step has a result. */
        ArtifactCreatedEvent: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["ArtifactCreated"];
            id: string;
            message?: string;
            payload: components["schemas"]["ArtifactCreated"];
            sequence: number;
            /** Format: date-time */
            timestamp: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "artifact_created";
            workflowId: string;
        };
        Authorization: {
            /** Format: date-time */
            authorizedAt: string;
            authorizedCapacityUnits: number;
            cumulativeReservedUnits: number;
            cumulativeSettledUnits: number;
            /** Format: date-time */
            expiresAt: string;
            stageSettlements: components["schemas"]["StageSettlement"][];
            tokenType: string;
            workflowRunId: string;
        };
        AwaitingCost: {
            capacityUnits: number;
            durationSeconds?: number;
            estimatedCost: number;
            estimatedUsdCost: number;
            height?: number;
            modelKey: string;
            tokenType: string;
            toolArgs: unknown;
            toolCallId: string;
            toolName: string;
            width?: number;
        };
        /** @description A tool call waits for the approval of its cost. */
        AwaitingCostEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["AwaitingCost"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "run_awaiting_cost_confirmation";
        };
        Backbone: {
            modelKnowledgeVersion: string;
            routingPolicyVersion: string;
            schemaVersion: string;
        };
        Binding: {
            /** @description The kind of media, when the transform does not determine it. */
            mediaType?: string;
            /** @description Whether the step fails when the artifact is missing. */
            required: boolean;
            /** @description The artifact by its id. */
            sourceArtifactId?: string;
            /** @description Which artifact, from 0. */
            sourceArtifactIndex: number;
            /** @description The step whose artifact is taken, or $input_media for the request's media. */
            sourceStepId: string;
            /** @description The argument that receives it. */
            targetArgument: string;
            /** @description The value to pass, such as image_index. */
            transform: string;
        };
        CallDispatched: {
            arguments: unknown;
            toolCallId: string;
            toolName: string;
            workflowId?: string;
        };
        /** @description A tool call has begun. */
        CallDispatchedEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["CallDispatched"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool_call_dispatched";
        };
        CallProgress: {
            previewUrl?: string;
            progress: number;
            status: string;
            stepLabel?: string;
            toolCallId: string;
            toolName: string;
            workflowSequence: number;
        };
        /** @description A tool call has progressed. */
        CallProgressEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["CallProgress"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool_call_progress";
        };
        CallResolved: {
            artifacts: components["schemas"]["RunArtifact"][];
            errorCode?: string;
            mediaUrls: components["schemas"]["MediaURL"][];
            status: string;
            summary: string;
            toolCallId: string;
            toolName: string;
            workflowId?: string;
        };
        /** @description A tool call is over. */
        CallResolvedEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["CallResolved"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tool_call_resolved";
        };
        CancelledRun: {
            runId: string;
            /** @enum {string} */
            status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
        };
        CancelledRunReply: {
            aborted: boolean;
            run: components["schemas"]["CancelledRun"];
        };
        CancelledWorkflow: {
            inFlight: boolean;
            transitioned: boolean;
            workflow: components["schemas"]["Workflow"];
        };
        ConfirmedWorkflow: {
            authorization?: components["schemas"]["Authorization"];
            decision?: string;
            idempotent?: boolean;
            workflow: components["schemas"]["Workflow"];
        };
        CostPreview: {
            tokenType: string;
            totalEstimatedCapacityUnits: number;
            /** Format: date-time */
            validityUntil: string;
        };
        CostResolved: {
            decision: string;
            reason?: string;
            toolCallId: string;
        };
        /** @description The cost of a tool call was approved or declined. */
        CostResolvedEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["CostResolved"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "run_cost_confirmation_resolved";
        };
        Custom: {
            attempt?: number;
            authorizedCapacityUnits?: number;
            decision?: string;
            kind: string;
            resumeCount?: number;
            stepId?: string;
            tokenType?: string;
        };
        /** @description Something else has happened; kind says what. */
        CustomEvent: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["Custom"];
            id: string;
            message?: string;
            payload: components["schemas"]["Custom"];
            sequence: number;
            /** Format: date-time */
            timestamp: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "custom";
            workflowId: string;
        };
        DownloadReply: {
            downloadUrl: string;
        };
        EstimateRange: {
            max: number;
            min: number;
        };
        EventError: {
            classification: string;
            code: string;
            message: string;
            retryable: boolean;
        };
        EventsTrimmed: {
            firstSequence: number;
            runId: string;
            type: string;
        };
        Failure: {
            data?: components["schemas"]["FailureData"];
            details?: {
                [key: string]: unknown;
            };
            errorCode: number;
            message: string;
            retryAfter?: number;
            status: string;
        };
        FailureData: {
            validation: components["schemas"]["Validation"];
        };
        Generation: {
            params: {
                [key: string]: unknown;
            };
            selectedModel: string;
        };
        Implementation: {
            runtime: string;
            version: string;
        };
        Issue: {
            code: string;
            message: string;
            path?: string;
            severity: string;
        };
        MediaContext: {
            audio: string[];
            images: string[];
            uploadedAudio: string[];
            uploadedImages: string[];
            uploadedVideos: string[];
            videos: string[];
        };
        MediaContextUpdated: {
            audio: string[];
            images: string[];
            uploadedAudio: string[];
            uploadedImages: string[];
            uploadedVideos: string[];
            videos: string[];
        };
        /** @description The media of the run have changed. */
        MediaContextUpdatedEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["MediaContextUpdated"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "media_context_updated";
        };
        MediaURL: {
            mediaType: string;
            modelKey?: string;
            toolName: string;
            url: string;
        };
        MessageCompleted: {
            content: string;
            round?: number;
            toolCalls?: components["schemas"]["PendingToolCall"][];
        };
        /** @description The model has answered. */
        MessageCompletedEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["MessageCompleted"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "assistant_message_completed";
        };
        MessageDelta: {
            content: string;
        };
        /** @description The model has written text. */
        MessageDeltaEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["MessageDelta"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "assistant_message_delta";
        };
        PendingToolCall: {
            arguments: unknown;
            toolCallId: string;
            toolName: string;
        };
        PreviewUpdated: {
            billingPreview: components["schemas"]["RunPreview"];
        };
        /** @description There is a cost to approve. */
        PreviewUpdatedEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["PreviewUpdated"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "billing_preview_updated";
        };
        Recovery: {
            /** Format: date-time */
            lastResumeAt?: string;
            reason?: string;
            resumeCount: number;
        };
        RemakeOf: {
            stepId: string;
            workflowId: string;
        };
        ResumedWorkflow: {
            resumed: boolean;
            workflow: components["schemas"]["Workflow"];
        };
        RoundStarted: {
            round: number;
        };
        /** @description The model is asked. */
        RoundStartedEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["RoundStarted"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "llm_round_started";
        };
        Routing: {
            alternatives: components["schemas"]["Alternative"][];
            reasons: string[];
            selectedBy: string;
        };
        Run: {
            artifacts: components["schemas"]["RunArtifact"][];
            backbone: components["schemas"]["Backbone"];
            billingPreview?: components["schemas"]["RunPreview"];
            billingPreviews?: components["schemas"]["RunPreview"][];
            cancellationReason?: string;
            childWorkflowIds: string[];
            createTime: number;
            error?: components["schemas"]["RunFailure"];
            events: components["schemas"]["RunEvent"][];
            failureReason?: string;
            finalResponse?: components["schemas"]["RunFinalResponse"];
            mediaContext: components["schemas"]["MediaContext"];
            messages: components["schemas"]["RunMessage"][];
            ownerWalletAddress: string;
            recovery: components["schemas"]["RunRecovery"];
            request: components["schemas"]["RunRequest"];
            runId: string;
            schemaVersion: string;
            scope: components["schemas"]["RunScope"];
            /** @enum {string} */
            status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
            timestamps: components["schemas"]["Timestamps"];
            toolCalls: components["schemas"]["RunToolCall"][];
            toolResults: components["schemas"]["RunToolResult"][];
            updateTime: number;
            usage?: components["schemas"]["RunUsage"];
            waiting?: components["schemas"]["RunWaiting"];
        };
        RunArtifact: {
            id: string;
            mediaType?: string;
            metadata?: {
                [key: string]: unknown;
            };
            mimeType?: string;
            modelDisplayName?: string;
            modelKey?: string;
            stepId?: string;
            toolCallId?: string;
            toolName?: string;
            url?: string;
            workflowId?: string;
        };
        RunCancelled: {
            reason: string;
        };
        /** @description The run was cancelled. */
        RunCancelledEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["RunCancelled"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "run_cancelled";
        };
        RunCompleted: {
            finalResponse: components["schemas"]["RunFinalResponse"];
            /** @enum {string} */
            status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
        };
        /** @description The run is over. */
        RunCompletedEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["RunCompleted"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "run_completed";
        };
        RunCreated: {
            runId: string;
        };
        /** @description The run was accepted. */
        RunCreatedEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["RunCreated"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "run_created";
        };
        RunDecision: {
            /** @description The cost preview to confirm, exactly as shown. */
            accepted_cost_preview?: {
                perToolBreakdown?: {
                    capacityUnits: number;
                    toolCallId: string;
                    toolName: string;
                }[];
                tokenType: string;
                totalEstimatedCapacityUnits: number;
                /** Format: date-time */
                validityUntil: string;
            };
            /**
             * @description Whether the cost is approved.
             * @enum {string}
             */
            decision: "confirm" | "cancel";
            /** @description The idempotency key, for clients that cannot send the header. */
            idempotency_key?: string;
            /** @description Changes of the named call. What would make it cost more is left out. */
            overrides?: {
                prompt?: string;
                prompts?: string[];
                /** @enum {string} */
                qualityTier?: "fast" | "hq" | "pro";
                safeContentFilter?: boolean;
            };
            /** @description Why; recorded. */
            reason?: string;
            /** @description A call that waits, from waiting.details.toolCallId. */
            tool_call_id: string;
        };
        RunEvent: components["schemas"]["RunCreatedEvent"] | components["schemas"]["RunResumedEvent"] | components["schemas"]["RunCompletedEvent"] | components["schemas"]["RunPartialFailureEvent"] | components["schemas"]["RunFailedEvent"] | components["schemas"]["RunCancelledEvent"] | components["schemas"]["RunPausedEvent"] | components["schemas"]["RoundStartedEvent"] | components["schemas"]["MessageDeltaEvent"] | components["schemas"]["MessageCompletedEvent"] | components["schemas"]["CallDispatchedEvent"] | components["schemas"]["CallProgressEvent"] | components["schemas"]["CallResolvedEvent"] | components["schemas"]["MediaContextUpdatedEvent"] | components["schemas"]["SpendEvent"] | components["schemas"]["PreviewUpdatedEvent"] | components["schemas"]["AwaitingCostEvent"] | components["schemas"]["CostResolvedEvent"];
        RunFailed: {
            error: components["schemas"]["RunFailure"];
            failureReason: string;
        };
        /** @description The run has failed. */
        RunFailedEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["RunFailed"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "run_failed";
        };
        RunFailure: {
            code: string;
            message: string;
        };
        RunFinalResponse: {
            content?: string;
            finishReason: string;
            pendingToolCalls?: components["schemas"]["PendingToolCall"][];
        };
        RunFunctionCall: {
            arguments: string;
            name: string;
        };
        RunMessage: {
            content: unknown;
            name?: string;
            role: string;
            tool_call_id?: string;
            tool_calls?: components["schemas"]["RunMessageCall"][];
        };
        RunMessageCall: {
            function: components["schemas"]["RunFunctionCall"];
            id: string;
            type: string;
        };
        RunPartialFailure: {
            error?: components["schemas"]["RunFailure"];
            failureReason?: string;
            finalResponse: components["schemas"]["RunFinalResponse"];
            /** @enum {string} */
            status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
        };
        /** @description The run is over; a part of it has failed. */
        RunPartialFailureEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["RunPartialFailure"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "run_partial_failure";
        };
        RunPaused: {
            details: components["schemas"]["RunWaitingDetails"];
            message: string;
            reason: string;
        };
        /** @description The run is paused until its user does something. */
        RunPausedEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["RunPaused"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "run_waiting_for_user";
        };
        RunPreview: {
            perToolBreakdown: components["schemas"]["ToolCost"][];
            tokenType: string;
            totalEstimatedCapacityUnits: number;
            /** Format: date-time */
            validityUntil: string;
        };
        RunRecovery: {
            resumeCount: number;
        };
        RunReply: {
            idempotent?: boolean;
            run: components["schemas"]["Run"];
        };
        RunRequest: {
            clientMessageId?: string;
            confirmCost?: boolean;
            idempotencyKey?: string;
            maxEstimatedCapacityUnits?: number;
            mediaReferences?: {
                [key: string]: unknown;
            }[];
            messages: components["schemas"]["RunMessage"][];
            model?: string;
            runtimeConfig: {
                [key: string]: unknown;
            };
            sampling: {
                [key: string]: unknown;
            };
            sessionId?: string;
            toolChoice?: unknown;
            tools?: unknown[];
        };
        RunResumed: {
            reason: string;
        };
        /** @description The run is continued after a pause or an interruption. */
        RunResumedEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["RunResumed"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "run_resumed";
        };
        RunScope: {
            appSource: string;
            billingMode: string;
            ownerWalletAddress: string;
            tokenType: string;
        };
        RunStart: {
            /** @description The name of the calling application. */
            app_source?: string;
            /**
             * @description Whether a plan may or must pay.
             * @default auto
             * @enum {string}
             */
            billing_mode?: "auto" | "subscription" | "tokens";
            /** @description The caller's id of the message. */
            client_message_id?: string;
            /** @description Recorded. */
            confirm_cost?: boolean;
            /** @description The idempotency key, for clients that cannot send the header. */
            idempotency_key?: string;
            /** @description Recorded. */
            max_estimated_capacity_units?: number;
            /** @description Media of earlier runs, by URL. */
            media_context?: {
                audio?: string[];
                images?: string[];
                uploadedAudio?: string[];
                uploadedImages?: string[];
                uploadedVideos?: string[];
                videos?: string[];
            };
            /** @description Media that tools can address: -1 is the first of its kind. */
            media_references?: ({
                data_uri?: string;
                /** @enum {string} */
                kind: "image" | "video" | "audio" | "model";
                url?: string;
                value?: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @description The conversation, in OpenAI's shape. Images are http or https URLs. */
            messages: unknown;
            /** @description An id of GET /v1/models. A default applies when omitted. */
            model?: string;
            /** @description How the service works on the run. */
            runtime_config?: {
                /**
                 * @description Chooses the models of tools that the model does not name.
                 * @enum {string}
                 */
                qualityTier?: "fast" | "hq" | "pro";
                /** @description Whether calls that cost something wait for the user. */
                requireJobConfirmation?: boolean;
                /** @description Whether calls that cost something and that no plan covers wait for the user. */
                requireSpendConfirmation?: boolean;
                /**
                 * @description Whether content is filtered. False needs an eligible account.
                 * @default true
                 */
                safeContentFilter?: boolean;
            } & {
                [key: string]: unknown;
            };
            /** @description How the model chooses its words. */
            sampling?: {
                frequency_penalty?: number;
                /**
                 * @description The longest answer of a round.
                 * @default 4096
                 */
                max_tokens?: number;
                min_p?: number;
                presence_penalty?: number;
                repetition_penalty?: number;
                /** @enum {string} */
                task_profile?: "general" | "coding" | "reasoning";
                temperature?: number;
                /**
                 * @description Whether the model may think before it answers.
                 * @default false
                 */
                think?: boolean;
                top_k?: number;
                top_p?: number;
            };
            /** @description A session of the caller's naming, whose assets are remembered. */
            session_id?: string;
            /**
             * @description The token that pays.
             * @default auto
             * @enum {string}
             */
            token_type?: "spark" | "svc" | "auto";
            /** @description auto, none, required, or a function by name. */
            tool_choice?: unknown;
            /** @description Function tools of the caller. The run ends when the model calls one. */
            tools?: unknown;
            /** @description An address that gets the events of this run: a URL, or url and events. The secret of the webhook with the id requests signs them. */
            webhook?: string | {
                events?: ("*" | "workflow.waiting" | "workflow.completed" | "workflow.failed" | "workflow.cancelled" | "run.waiting" | "run.completed" | "run.failed" | "run.cancelled" | "lora.ready" | "lora.rejected" | "balance.credited" | "balance.low")[];
                /** Format: uri */
                url: string;
            };
        };
        RunStatus: {
            payload: components["schemas"]["RunStatusPayload"];
            runId: string;
            /** @enum {string} */
            status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
            type: string;
            waitingReason?: string;
        };
        RunStatusPayload: {
            /** @enum {string} */
            status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
        };
        RunText: {
            content: string;
            first: boolean;
            round: number;
            runId: string;
            type: string;
        };
        RunToolCall: {
            arguments: unknown;
            sequence: number;
            toolCallId: string;
            toolName: string;
        };
        RunToolResult: {
            errorCode?: string;
            sequence: number;
            status: string;
            summary?: string;
            toolCallId: string;
        };
        RunUsage: {
            cachedTokens: number;
            completionTokens: number;
            costInSpark: string;
            costInSvc: string;
            costInUSD: string;
            coveredByPlan: boolean;
            model: string;
            promptTokens: number;
            seconds: number;
        };
        RunWaiting: {
            details: components["schemas"]["RunWaitingDetails"];
            message: string;
            reason: string;
        };
        RunWaitingDetails: {
            costApprovalPreview?: components["schemas"]["RunPreview"];
            flavor?: string;
            pendingToolCallIds: string[];
            review?: components["schemas"]["WaitingDetails"];
            toolCallId: string;
            workflowId?: string;
        };
        Spend: {
            cachedTokens: number;
            costInSpark: string;
            costInSvc: string;
            costInToken: string;
            costInUSD: string;
            coveredByPlan?: boolean;
            eventId: string;
            inputTokens: number;
            modelName: string;
            outputTokens: number;
            tokenType: string;
        };
        /** @description A call of the model was paid. */
        SpendEvent: {
            /** Format: date-time */
            at: string;
            id: string;
            payload: components["schemas"]["Spend"];
            runId: string;
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "llm_spend";
        };
        StageSettlement: {
            estimatedUnits: number;
            jobIds?: string[];
            projectId?: string;
            settledUnits?: number;
            stageId: string;
            status: string;
        };
        Step: {
            arguments: {
                [key: string]: unknown;
            };
            artifacts: components["schemas"]["Artifact"][];
            backbone: components["schemas"]["Backbone"];
            cost: components["schemas"]["StepCost"];
            dependsOn: components["schemas"]["Binding"][];
            error?: components["schemas"]["StepError"];
            generation?: components["schemas"]["Generation"];
            id: string;
            idempotencyKey: string;
            implementation: components["schemas"]["Implementation"];
            input: components["schemas"]["StepArguments"];
            previewUrl?: string;
            progress: number;
            projectId?: string;
            remake?: components["schemas"]["StepRemake"];
            retry: components["schemas"]["StepRetry"];
            routing?: components["schemas"]["Routing"];
            seed?: number;
            sequence: number;
            /** @enum {string} */
            status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
            timestamps: components["schemas"]["StepTimes"];
            tool: components["schemas"]["StepTool"];
            toolName: string;
            wait?: components["schemas"]["Waiting"];
            waiting?: components["schemas"]["Waiting"];
            waitingFor?: components["schemas"]["WaitingFor"];
            waitingReason?: string;
        };
        StepArguments: {
            arguments: {
                [key: string]: unknown;
            };
            normalizedArguments: {
                [key: string]: unknown;
            };
        };
        StepCompleted: {
            artifacts: components["schemas"]["Artifact"][];
            stepId: string;
            toolName: string;
        };
        /** @description A step is done. */
        StepCompletedEvent: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["StepCompleted"];
            id: string;
            message?: string;
            payload: components["schemas"]["StepCompleted"];
            sequence: number;
            /** Format: date-time */
            timestamp: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "step_completed";
            workflowId: string;
        };
        StepCost: {
            actual?: components["schemas"]["ActualCost"];
            beforeDiscount?: string;
            estimate: unknown;
            estimatedSpark: string;
        };
        StepError: {
            classification: string;
            code: string;
            details?: {
                [key: string]: unknown;
            };
            message: string;
            retryable: boolean;
            stepId?: string;
            toolName?: string;
        };
        StepFailed: {
            error: components["schemas"]["EventError"];
            errorType: string;
            retryable: boolean;
            stepId: string;
            toolName: string;
        };
        /** @description A step has failed. */
        StepFailedEvent: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["StepFailed"];
            id: string;
            message?: string;
            payload: components["schemas"]["StepFailed"];
            sequence: number;
            /** Format: date-time */
            timestamp: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "step_failed";
            workflowId: string;
        };
        StepInput: {
            /** @description Arguments of the tool. */
            arguments: {
                [key: string]: unknown;
            };
            /** @description Inputs taken from other steps. */
            dependsOn?: components["schemas"]["Binding"][];
            /** @description Names the step in bindings. */
            id: string;
            /** @description The tool to run. */
            toolName: string;
        };
        StepRemake: {
            /** @description available or used. */
            state: string;
            /** @description The workflow that makes it again, or has. */
            workflowId?: string;
        };
        StepRetry: {
            classification: string;
            count: number;
        };
        StepStarted: {
            attempt: number;
            sequence: number;
            stepId: string;
            toolName: string;
        };
        /** @description A worker has begun to render a step. */
        StepStartedEvent: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["StepStarted"];
            id: string;
            message?: string;
            payload: components["schemas"]["StepStarted"];
            sequence: number;
            /** Format: date-time */
            timestamp: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "step_started";
            workflowId: string;
        };
        StepTimes: {
            /** Format: date-time */
            completedAt?: string;
            /** Format: date-time */
            startedAt?: string;
        };
        StepTool: {
            name: string;
            schemaVersion: string;
        };
        StepWaiting: {
            details: components["schemas"]["WaitingDetails"];
            message: string;
            reason: string;
            stepId: string;
        };
        /** @description A step is paused until its user does something. */
        StepWaitingEvent: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["StepWaiting"];
            id: string;
            message?: string;
            payload: components["schemas"]["StepWaiting"];
            sequence: number;
            /** Format: date-time */
            timestamp: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "step_waiting_for_user";
            workflowId: string;
        };
        Template: {
            author: "system" | {
                displayName: string;
                userId: string;
            };
            brief?: string;
            /** @enum {string} */
            category: "portrait" | "video-social" | "makeover" | "cinematic" | "music" | "analysis" | "custom" | "other";
            clonedFromTemplateId?: string;
            createdAt?: string;
            description?: string;
            estimatedCapacityUnits?: components["schemas"]["EstimateRange"];
            estimatedCredits?: components["schemas"]["EstimateRange"];
            exposeToLLM: boolean;
            graph?: unknown;
            id: string;
            inputs: {
                default?: unknown;
                description?: string;
                internal?: boolean;
                jsonSchema?: Record<string, never>;
                multiple?: unknown;
                name: string;
                options?: unknown[];
                required?: boolean;
                /** @enum {string} */
                type: "image" | "audio" | "video" | "text" | "number" | "select" | "boolean";
            }[];
            llmPriority: number;
            metadata?: unknown;
            name: string;
            previewArtifacts?: unknown;
            reviewFocus?: string[];
            /** @enum {string} */
            stability: "experimental" | "beta" | "production";
            stages: {
                args?: Record<string, never>;
                id: string;
                tool?: string;
                /** @enum {string} */
                type?: "fixed" | "batch";
            }[];
            tags: string[];
            thumbnailUrl?: string;
            updatedAt?: string;
            version: string;
            /** @enum {string} */
            visibility: "private" | "public";
        };
        TemplateReply: {
            template: components["schemas"]["Template"];
            validation?: components["schemas"]["TemplateValidation"];
        };
        TemplateValidation: {
            issues: components["schemas"]["Issue"][];
            valid: boolean;
        };
        TemplatesReply: {
            next: number | null;
            templates: components["schemas"]["Template"][];
        };
        Timestamps: {
            /** Format: date-time */
            completedAt?: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ToolCost: {
            capacityUnits: number;
            toolCallId: string;
            toolName: string;
        };
        UploadForm: {
            allowedContentTypes: string[];
            fields: {
                [key: string]: string;
            };
            maxSizeBytes: number;
            url: string;
        };
        Validation: {
            issues: components["schemas"]["Issue"][];
        };
        Waiting: {
            details?: components["schemas"]["WaitingDetails"];
            message: string;
            position?: number;
            reason: string;
            /** Format: date-time */
            until?: string;
        };
        WaitingDetails: {
            categories?: string[];
            costApprovalPreview?: components["schemas"]["CostPreview"];
            help?: string;
            source?: string;
            stepId?: string;
        };
        WaitingFor: {
            /** Format: date-time */
            fallbackAt?: string;
            model: string;
            network: string;
            reason: string;
            /** Format: date-time */
            since: string;
        };
        Workflow: {
            appSource?: string;
            artifacts: components["schemas"]["Artifact"][];
            authorization?: components["schemas"]["Authorization"];
            awaitingCostApproval?: boolean;
            backbone: components["schemas"]["Backbone"];
            billingMode: string;
            billingPreview?: components["schemas"]["CostPreview"];
            billingPreviews?: components["schemas"]["CostPreview"][];
            createTime: number;
            error?: components["schemas"]["StepError"];
            estimatedCapacityUnits: number;
            events: components["schemas"]["WorkflowEvent"][];
            input: components["schemas"]["WorkflowInput"];
            mediaReferences?: unknown[];
            plan?: components["schemas"]["WorkflowPlan"];
            recovery: components["schemas"]["Recovery"];
            remakeOf?: components["schemas"]["RemakeOf"];
            safeContentFilter: boolean;
            /** @enum {string} */
            status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
            steps: components["schemas"]["Step"][];
            template?: components["schemas"]["WorkflowOrigin"];
            timestamps: components["schemas"]["Timestamps"];
            title?: string;
            tokenType: string;
            updateTime: number;
            usage?: {
                [key: string]: number;
            };
            waiting?: components["schemas"]["Waiting"];
            waitingReason?: string;
            workflowId: string;
        };
        WorkflowCancelled: {
            reason: string;
        };
        /** @description The workflow was cancelled. */
        WorkflowCancelledEvent: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["WorkflowCancelled"];
            id: string;
            message?: string;
            payload: components["schemas"]["WorkflowCancelled"];
            sequence: number;
            /** Format: date-time */
            timestamp: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "workflow_cancelled";
            workflowId: string;
        };
        WorkflowCompleted: {
            artifacts: components["schemas"]["Artifact"][];
            /** @enum {string} */
            status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
        };
        /** @description The workflow is over, completed or in part. */
        WorkflowCompletedEvent: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["WorkflowCompleted"];
            id: string;
            message?: string;
            payload: components["schemas"]["WorkflowCompleted"];
            sequence: number;
            /** Format: date-time */
            timestamp: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "workflow_completed";
            workflowId: string;
        };
        WorkflowDecision: {
            /** @description The cost preview to confirm, exactly as shown. */
            acceptedCostPreview?: {
                tokenType: string;
                totalEstimatedCapacityUnits: number;
                /** Format: date-time */
                validityUntil: string;
            };
            /**
             * @description Whether the cost is approved.
             * @enum {string}
             */
            decision: "confirm" | "cancel";
            /** @description The idempotency key, for clients that cannot send the header. */
            idempotency_key?: string;
        };
        WorkflowEvent: components["schemas"]["WorkflowStartedEvent"] | components["schemas"]["WorkflowProgressEvent"] | components["schemas"]["WorkflowWaitingEvent"] | components["schemas"]["WorkflowCompletedEvent"] | components["schemas"]["WorkflowFailedEvent"] | components["schemas"]["WorkflowCancelledEvent"] | components["schemas"]["StepStartedEvent"] | components["schemas"]["StepCompletedEvent"] | components["schemas"]["StepFailedEvent"] | components["schemas"]["StepWaitingEvent"] | components["schemas"]["ArtifactCreatedEvent"] | components["schemas"]["CustomEvent"];
        WorkflowFailed: {
            error: components["schemas"]["EventError"];
            retryable: boolean;
            /** @enum {string} */
            status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
        };
        /** @description The workflow is over without a result. */
        WorkflowFailedEvent: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["WorkflowFailed"];
            id: string;
            message?: string;
            payload: components["schemas"]["WorkflowFailed"];
            sequence: number;
            /** Format: date-time */
            timestamp: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "workflow_failed";
            workflowId: string;
        };
        WorkflowInput: {
            steps: components["schemas"]["StepInput"][];
            title?: string;
        };
        WorkflowOrigin: {
            id: string;
            version: string;
        };
        WorkflowPlan: {
            artifacts: components["schemas"]["Artifact"][];
            backbone: components["schemas"]["Backbone"];
            events: components["schemas"]["WorkflowEvent"][];
            input: components["schemas"]["WorkflowInput"];
            /** @enum {string} */
            status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
            steps: components["schemas"]["Step"][];
            timestamps: components["schemas"]["Timestamps"];
            title?: string;
            workflowId: string;
        };
        WorkflowProgress: {
            message: string;
            previewUrl?: string;
            progress: number;
            stepId: string;
            stepProgress: number;
            waitingFor?: components["schemas"]["WaitingFor"] | null;
        };
        /** @description A step has progressed, or it is known whether a worker can render it. */
        WorkflowProgressEvent: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["WorkflowProgress"];
            id: string;
            message?: string;
            payload: components["schemas"]["WorkflowProgress"];
            sequence: number;
            /** Format: date-time */
            timestamp: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "workflow_progress";
            workflowId: string;
        };
        WorkflowReply: {
            idempotent?: boolean;
            preview?: components["schemas"]["CostPreview"];
            waitingForCostApproval?: boolean;
            workflow: components["schemas"]["Workflow"];
        };
        WorkflowResume: {
            /** @description The name of the calling application. */
            app_source?: string;
            /**
             * @description Whether a plan may or must pay from now on.
             * @enum {string}
             */
            billing_mode?: "auto" | "subscription" | "tokens";
            /** @description False releases a safety review, for eligible accounts. */
            safe_content_filter?: boolean;
            /**
             * @description The token that pays from now on.
             * @enum {string}
             */
            token_type?: "spark" | "svc" | "auto";
        };
        WorkflowStart: {
            /** @description The name of the calling application. */
            app_source?: string;
            /**
             * @description Whether a plan may or must pay.
             * @default auto
             * @enum {string}
             */
            billing_mode?: "auto" | "subscription" | "tokens";
            /** @description False refuses a plan that costs anything, with its estimate. */
            confirm_cost?: boolean;
            /** @description Beside input: an earlier workflow that the plan repeats or continues. The new one is of the same template. */
            continues?: string;
            /** @description The plan. Either this or workflow_id. */
            input?: {
                /** @description The steps. Steps that do not depend on each other run in parallel. */
                steps: {
                    /** @description Arguments of the tool. */
                    arguments: {
                        [key: string]: unknown;
                    };
                    /** @description Inputs taken from other steps. */
                    dependsOn?: {
                        /**
                         * @description The kind of media, when the transform does not determine it.
                         * @enum {string}
                         */
                        mediaType?: "image" | "video" | "audio";
                        /**
                         * @description Whether the step fails when the artifact is missing.
                         * @default true
                         */
                        required?: boolean;
                        /** @description The artifact by its id. */
                        sourceArtifactId?: string;
                        /** @description Which artifact, from 0. */
                        sourceArtifactIndex?: number;
                        /** @description The step whose artifact is taken, or $input_media for the request's media. */
                        sourceStepId: string;
                        /** @description The argument that receives it. */
                        targetArgument: string;
                        /** @description The value to pass, such as image_index. */
                        transform: string;
                    }[];
                    /** @description Names the step in bindings. */
                    id: string;
                    /** @description The tool to run. */
                    toolName: string;
                }[];
                /** @description A display title. */
                title?: string;
            };
            /** @description Values for the inputs of the template, by name. */
            inputs?: {
                [key: string]: unknown;
            };
            /** @description A plan estimated above this is refused. */
            max_estimated_capacity_units?: number;
            /** @description Media that steps can address: -1 is the first of its kind. */
            media_references?: ({
                /**
                 * @description What it is.
                 * @enum {string}
                 */
                kind: "image" | "video" | "audio" | "model";
                /** @description Where it is: an http or https URL. */
                url: string;
            } & {
                [key: string]: unknown;
            })[];
            /**
             * @description Whether content is filtered. False needs an eligible account.
             * @default true
             */
            safe_content_filter?: boolean;
            /**
             * @description The token that pays.
             * @default auto
             * @enum {string}
             */
            token_type?: "spark" | "svc" | "auto";
            /** @description An address that gets the events of this workflow: a URL, or url and events. The secret of the webhook with the id requests signs them. */
            webhook?: string | {
                events?: ("*" | "workflow.waiting" | "workflow.completed" | "workflow.failed" | "workflow.cancelled" | "run.waiting" | "run.completed" | "run.failed" | "run.cancelled" | "lora.ready" | "lora.rejected" | "balance.credited" | "balance.low")[];
                /** Format: uri */
                url: string;
            };
            /** @description A saved template to start, with inputs. */
            workflow_id?: string;
        };
        WorkflowStarted: {
            stepCount: number;
            title: string;
            workflowId: string;
        };
        /** @description The workflow was accepted. */
        WorkflowStartedEvent: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["WorkflowStarted"];
            id: string;
            message?: string;
            payload: components["schemas"]["WorkflowStarted"];
            sequence: number;
            /** Format: date-time */
            timestamp: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "workflow_started";
            workflowId: string;
        };
        WorkflowStatus: {
            awaitingCostApproval?: boolean;
            /** @enum {string} */
            status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
            waitingReason?: string;
            workflowId: string;
        };
        WorkflowWaiting: {
            details: components["schemas"]["WaitingDetails"];
            message: string;
            preview?: components["schemas"]["CostPreview"];
            reason: string;
            stepId?: string;
        };
        /** @description The workflow is paused until its user does something. */
        WorkflowWaitingEvent: {
            /** Format: date-time */
            at: string;
            data: components["schemas"]["WorkflowWaiting"];
            id: string;
            message?: string;
            payload: components["schemas"]["WorkflowWaiting"];
            sequence: number;
            /** Format: date-time */
            timestamp: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "workflow_waiting_for_user";
            workflowId: string;
        };
        Workflows: {
            next: number | null;
            workflows: components["schemas"]["Workflow"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
