"""The bare `openai` client: thirty calls, nothing written down."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import httpx2  # what this client is built on
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from benchmarks import duel, measure

MODEL = "scripted"
MAX_TOKENS = 1000


def client(job: measure.Job) -> AsyncOpenAI:
    """No retries, and as many connections as there can be calls."""
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    http = DefaultAsyncHttpxClient(limits=limits)
    return AsyncOpenAI(base_url=job.url, api_key="none", max_retries=0, http_client=http)


async def ask_whole(openai: AsyncOpenAI, messages: list[duel.Message]) -> str:
    reply = await openai.chat.completions.create(
        model=MODEL, messages=cast("Any", messages), max_tokens=MAX_TOKENS
    )
    return reply.choices[0].message.content or ""


async def ask_streamed(openai: AsyncOpenAI, messages: list[duel.Message]) -> str:
    stream = await openai.chat.completions.create(
        model=MODEL,
        messages=cast("Any", messages),
        max_tokens=MAX_TOKENS,
        stream=True,
        stream_options={"include_usage": True},
    )
    pieces = [chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]
    return "".join(pieces)


async def main() -> None:
    job = measure.job_from_arguments()
    ask = ask_streamed if job.is_streamed else ask_whole
    async with client(job) as openai:
        measure.tell(await measure.duels(job, lambda: duel.run(lambda m: ask(openai, m))))


if __name__ == "__main__":
    asyncio.run(main())
