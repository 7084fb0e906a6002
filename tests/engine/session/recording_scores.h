/// What a scoring tells, kept.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "ingle/engine.h"

namespace ingle::test {

struct RecordingScores final : ScoreSink {
    void onProgress(uint32_t done, uint32_t total) override {
        EXPECT_LE(done, total);
        if (++steps == cancelAfter) engine->cancel(id);
    }
    void onScored(Scores found) override { scores = std::move(found); }
    void onError(const Error& found) override { error = found; }

    Engine* engine = nullptr;
    GenerationId id = 0;
    int cancelAfter = -1;
    int steps = 0;
    std::optional<Scores> scores;
    std::optional<Error> error;
};

/// The first place where another token is chosen; the number of places when there is none.
inline size_t firstDifference(const Scores& scores) {
    size_t at = 0;
    while (at < scores.positions.size() && scores.positions[at].chosen.id == scores.positions[at].stored.id)
        ++at;
    return at;
}

}  // namespace ingle::test
