/// Streams an answer to standard output.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "ingle/engine.h"

namespace ingle::cli {

/// Writes text as it comes and remembers how the generation ended.
class PrintSink final : public GenerateSink {
  public:
    void onPlan(const PromptPlan& plan) override { m_dropped = plan.dropped.size(); }
    void onProgress(uint32_t, uint32_t) override {}
    void onTokens(const TokenChunk& chunk) override {
        m_text += chunk.text;
        std::fwrite(chunk.text.data(), 1, chunk.text.size(), stdout);
        std::fflush(stdout);
    }
    void onDone(const GenerateResult& result) override { m_result = result; }
    void onError(const Error& error) override { m_error = error; }

    Status status() const {
        if (m_error) return tl::unexpected(*m_error);
        return {};
    }
    const std::string& text() const { return m_text; }
    const std::optional<GenerateResult>& result() const { return m_result; }
    size_t dropped() const { return m_dropped; }

  private:
    std::string m_text;
    std::optional<GenerateResult> m_result;
    std::optional<Error> m_error;
    size_t m_dropped = 0;
};

}  // namespace ingle::cli
