/// A sink that remembers what happened to a generation.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "ingle/engine.h"
#include "tests/pieces.h"

namespace ingle::test {

/// Remembers everything; cancels after `cancelAfter` token chunks.
class RecordingSink final : public GenerateSink {
  public:
    void onPlan(const PromptPlan& newPlan) override {
        EXPECT_EQ(planCount++, 0);
        plan = newPlan;
    }
    void onPictures(double fraction) override {
        EXPECT_EQ(planCount, 0);
        encoded = fraction;
    }
    void onProgress(uint32_t done, uint32_t total) override {
        EXPECT_LE(done, total);
        ++progressCount;
    }
    void onDevice(const DeviceStatus& status) override {
        EXPECT_EQ(planCount, 1);
        devices.push_back(status);
    }
    void onTokens(const TokenChunk& chunk) override {
        ids.insert(ids.end(), chunk.ids.begin(), chunk.ids.end());
        text += allText(chunk.pieces);
        chances.insert(chances.end(), chunk.chances.begin(), chunk.chances.end());
        pieces.insert(pieces.end(), chunk.pieces.begin(), chunk.pieces.end());
        if (cancelAfter > 0 && --cancelAfter == 0) engine->cancel(id);
    }
    void onDone(const GenerateResult& newResult) override { result = newResult; }
    void onError(const Error& newError) override { error = newError; }

    Engine* engine = nullptr;
    GenerationId id = 0;
    int cancelAfter = 0;
    double encoded = 0;  ///< of the pictures
    int planCount = 0;
    int progressCount = 0;
    PromptPlan plan;
    std::vector<DeviceStatus> devices;
    std::vector<TokenId> ids;
    std::string text;
    std::vector<TokenChances> chances;
    std::vector<PartPiece> pieces;
    std::optional<GenerateResult> result;
    std::optional<Error> error;
};

}  // namespace ingle::test
