"""Makes a short film in four steps: a picture, a clip of it, music, and the cut of both.

    ATELIER_URL=http://127.0.0.1:8080 ATELIER_API_KEY=… python3 examples/film.py film.mp4
"""

import os
import sys

import httpx
from atelier_client import Atelier, WorkflowStart, WorkflowUpdate

FILM: WorkflowStart = {
    "input": {
        "title": "Lighthouse",
        "steps": [
            {
                "id": "picture",
                "toolName": "generate_image",
                "arguments": {"prompt": "a lighthouse in a storm, oil painting", "width": 512, "height": 288},
            },
            {
                "id": "clip",
                "toolName": "animate_photo",
                "arguments": {"prompt": "waves break, the light turns", "duration": 2},
                "dependsOn": [{"sourceStepId": "picture", "targetArgument": "sourceImageIndex", "transform": "image_index"}],
            },
            {"id": "music", "toolName": "generate_music", "arguments": {"prompt": "slow sad strings", "duration": 10}},
            {
                "id": "film",
                "toolName": "stitch_video",
                "arguments": {},
                "dependsOn": [
                    {"sourceStepId": "clip", "targetArgument": "videoIndices", "transform": "video_index"},
                    {"sourceStepId": "music", "targetArgument": "audioIndex", "transform": "audio_index"},
                ],
            },
        ],
    }
}


def show(event: WorkflowUpdate) -> None:
    if event["type"] == "workflow_progress":
        progress = event["payload"]
        print(f"{progress['stepId']}: {progress['stepProgress']:.0%} {progress['message']}")
    elif event["type"] == "step_completed":
        print(f"{event['payload']['stepId']}: done")
    elif event["type"] == "step_failed":
        print(f"{event['payload']['stepId']}: {event['payload']['error']['message']}")


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else "film.mp4"
    with Atelier(os.environ.get("ATELIER_URL", "http://127.0.0.1:8080"), os.environ["ATELIER_API_KEY"]) as atelier:
        workflow = atelier.workflows.run(FILM, on_event=show)
    film = next((artifact for artifact in workflow["artifacts"] if artifact["stepId"] == "film"), None)
    if film is None:
        sys.exit(f"the workflow is {workflow['status']} and has no film")
    with httpx.stream("GET", film["url"]) as answer, open(path, "wb") as file:
        answer.raise_for_status()
        for part in answer.iter_bytes():
            file.write(part)
    print(f"{path}: {film.get('durationSeconds')} seconds")


main()
