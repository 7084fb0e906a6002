/// Streams a generation to standard output.
#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/printed_parts.h"
#include "app/cli/terminal_text.h"
#include "ingle/engine.h"

namespace ingle::cli {

/// Remembers how the generation ended, and whether what it wrote could be written.
class OutputSink : public GenerateSink {
  public:
    void onPlan(const PromptPlan& plan) override {
        m_dropped = plan.dropped.size();
        m_note = plan.note;
    }
    void onProgress(uint32_t, uint32_t) override {}
    void onDevice(const DeviceStatus& status) override {
        if (!status.note.empty()) fmt::print(stderr, "{}\n", status.note);
    }
    void onDone(const GenerateResult&) override {}
    void onError(const Error& error) override { m_status = tl::unexpected(error); }

    /// The generation's error, or Io once writing has failed.
    const Status& status() const { return m_status; }
    size_t dropped() const { return m_dropped; }
    /// Why the prompt has another form than the model's template, or empty.
    const std::string& note() const { return m_note; }

  protected:
    void write(const std::string& text) {
        const bool written =
            std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
        if (!written && m_status) m_status = fail(ErrorCode::Io, "cannot write to standard output");
    }

  private:
    Status m_status;
    size_t m_dropped = 0;
    std::string m_note;
};

/// Writes the text as it comes.
class TextSink final : public OutputSink {
  public:
    void onTokens(const TokenChunk& chunk) override { take(chunk.pieces); }
    void onDone(const GenerateResult& result) override {
        m_stats = result.stats;
        m_violation = result.violation;
        take(result.tail);
        take(result.unfinished);
        write(m_printed.finish());
    }
    const GenerateStats& stats() const { return m_stats; }
    /// See GenerateResult.
    const std::string& violation() const { return m_violation; }

    const std::vector<Part>& parts() const { return m_parts; }

  private:
    void take(const std::vector<PartPiece>& pieces) {
        std::string text;
        for (const PartPiece& piece : pieces) {
            append(m_parts, piece);
            text += m_printed.add(piece);
        }
        write(forStandardOutput(text));
    }

    GenerateStats m_stats;
    std::string m_violation;
    PrintedParts m_printed;
    std::vector<Part> m_parts;
};

/// Writes the ids, space separated.
class IdSink final : public OutputSink {
  public:
    void onTokens(const TokenChunk& chunk) override {
        m_numIds += chunk.ids.size();
        for (const TokenId id : chunk.ids) write(fmt::format("{}{}", std::exchange(m_separator, " "), id));
    }
    void onDone(const GenerateResult&) override { write("\n"); }

    size_t numIds() const { return m_numIds; }

  private:
    size_t m_numIds = 0;
    const char* m_separator = "";
};

/// Runs one generation to its end; cancels it when `stopWanted()` says so or nothing can be written any more.
inline Status runToEnd(
    Engine& engine, GenerateRequest request, OutputSink& sink,
    const std::function<bool()>& stopWanted = [] { return false; }) {
    INGLE_TRY_ASSIGN(const GenerationId id, engine.submit(std::move(request), sink));
    while (engine.step()) {
        if (!sink.status() || stopWanted()) engine.cancel(id);
    }
    return sink.status();
}

}  // namespace ingle::cli
