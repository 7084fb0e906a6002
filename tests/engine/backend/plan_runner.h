/// Runs a plan on a backend.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "engine/backend/backend.h"

namespace ingle::backend {

/// A plan's program with memory of its own.
struct PlanRunner {
    Backend& backend;
    std::unique_ptr<MemoryPool> pool;
    std::unique_ptr<Program> program;

    PlanRunner(Backend& on, const Plan& plan, const MemorySpec& spec, KvType kv = KvType::F32) : backend(on) {
        auto made = backend.createMemory(spec, {kv, 4096});
        EXPECT_TRUE(made) << made.error().message;
        pool = std::move(*made);
        auto compiled = backend.compile(plan, *pool);
        EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().message);
        if (compiled) program = std::move(*compiled);
    }

    std::unique_ptr<SequenceMemory> sequence() {
        auto made = pool->createSequence();
        EXPECT_TRUE(made) << (made ? "" : made.error().message);
        return made ? std::move(*made) : nullptr;
    }

    /// Logits of every row, back to back; empty after a failure.
    std::vector<float> run(std::span<const TokenId> tokens, std::span<const SequenceRun> runs) {
        std::vector<uint32_t> rows(tokens.size());
        for (uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
        const Status status = program->run({tokens, runs, rows});
        EXPECT_TRUE(status) << (status ? "" : status.error().message);
        if (!status) return {};
        std::vector<float> logits;
        for (uint32_t i = 0; i < rows.size(); ++i) {
            const auto row = program->readOutput(i);
            EXPECT_TRUE(row) << (row ? "" : row.error().message);
            if (row) logits.insert(logits.end(), row->begin(), row->end());
        }
        return logits;
    }

    /// One sequence's tokens in steps of at most `chunk`.
    std::vector<float> feed(SequenceMemory& sequence, std::span<const TokenId> tokens, size_t chunk) {
        std::vector<float> logits;
        for (size_t at = 0; at < tokens.size(); at += chunk) {
            const auto part = tokens.subspan(at, std::min(chunk, tokens.size() - at));
            const SequenceRun one{&sequence, static_cast<uint32_t>(part.size())};
            const auto rows = run(part, {&one, 1});
            logits.insert(logits.end(), rows.begin(), rows.end());
        }
        return logits;
    }
};

}  // namespace ingle::backend
