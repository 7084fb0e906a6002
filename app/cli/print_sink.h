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
    void onTokens(const TokenChunk& chunk) override { print(chunk.text); }
    void onDone(const GenerateResult& result) override { print(result.tail); }
    void onError(const Error& error) override { m_error = error; }

    Status status() const {
        if (m_error) return tl::unexpected(*m_error);
        return {};
    }
    const std::string& text() const { return m_text; }
    size_t dropped() const { return m_dropped; }

  private:
    void print(const std::string& text) {
        m_text += text;
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
    }

    std::string m_text;
    std::optional<Error> m_error;
    size_t m_dropped = 0;
};

}  // namespace ingle::cli
