/// An engine without a model: answers count upwards.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/cli/host/engine_worker.h"
#include "engine/io/mapped_file.h"
#include "ingle/stop_scope.h"
#include "tests/pieces.h"

namespace ingle::cli {

/// Each byte is a token. Texts that begin with "slowly" take a second.
/// A text that is worked on until nobody wants the result any more.
inline constexpr std::string_view kForEver = "for ever";
inline tl::unexpected<Error> workUntilStopped() {
    while (!StopScope::isStopWanted()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return fail(ErrorCode::Cancelled, "cancelled");
}

class FakeVocabulary final : public Vocabulary {
  public:
    Result<std::vector<TokenId>> tokenize(std::string_view text, const TokenizeOptions&) const override {
        if (text == kForEver) return workUntilStopped();
        if (text.starts_with("slowly")) std::this_thread::sleep_for(std::chrono::seconds(1));
        return std::vector<TokenId>(text.begin(), text.end());
    }
    Result<std::string> detokenize(std::span<const TokenId> ids) const override {
        return std::string(ids.begin(), ids.end());
    }
};

inline void readTruncatedFile() {
    std::FILE* file = std::tmpfile();
    std::fputs("weights", file);
    std::fflush(file);
    const auto mapped = io::MappedFile::open(fmt::format("/proc/self/fd/{}", ::fileno(file))).value();
    if (::ftruncate(::fileno(file), 0) == 0) std::fputc(static_cast<int>(mapped->bytes()[0]), stderr);
}

/// Generates the ids resumeIds.size(), +1, +2 … with the text "x" each. rawPrompt "truncate" cuts a mapped
/// file short and reads it; "move" changes the device before the third token; a path is written when all is
/// told.
class FakeEngine final : public Engine {
  public:
    explicit FakeEngine(std::string path) {
        m_info.path = std::move(path);
        m_info.onProcessor = m_info.path.find("graphics") == std::string::npos;
        m_info.backend = m_info.onProcessor ? "cpu" : "vulkan";
        m_info.memory.weightBytes = 10;
        ++numAlive;
    }
    ~FakeEngine() override { --numAlive; }
    static inline std::atomic<int> numAlive = 0;

    const ModelInfo& info() const override { return m_info; }
    std::shared_ptr<const Vocabulary> vocabulary() const override { return m_vocabulary; }
    Result<PromptPlan> plan(const GenerateRequest&) const override { return PromptPlan{}; }
    Result<PromptPreview> preview(const GenerateRequest& request) const override {
        if (request.messages.empty()) return fail(ErrorCode::InvalidArgument, "there is nothing to answer");
        if (request.messages[0].parts[0].text == kForEver) return workUntilStopped();
        return PromptPreview{{.kept = {0}, .promptTokens = 7}, 64, {{3}}, "prompt"};
    }
    Result<PromptSize> measure(std::span<const ChatMessage> messages) const override {
        return PromptSize{static_cast<uint32_t>(10 * messages.size()), 64};
    }
    Result<GenerationId> submit(GenerateRequest request, GenerateSink& sink) override {
        if (request.rawPrompt == "refuse") return fail(ErrorCode::InvalidArgument, "refused");
        const std::scoped_lock lock(m_mutex);
        m_queue.push_back({m_nextId, std::move(request), &sink});
        return m_nextId++;
    }
    /// Every second token of the answer would be another one now.
    Result<GenerationId> submit(ScoreRequest request, ScoreSink& sink) override {
        const std::scoped_lock lock(m_mutex);
        m_scores.push_back({m_nextId, std::move(request), &sink});
        return m_nextId++;
    }
    /// A text of a hundred tokens, ten at each step.
    Result<GenerationId> submit(ReadRequest request, ReadSink& sink) override {
        const std::scoped_lock lock(m_mutex);
        m_readings.push_back({m_nextId, std::move(request), &sink});
        return m_nextId++;
    }
    Receipt receipt() const override { return {.modelPath = m_info.path, .backend = "cpu"}; }
    bool step() override {
        score();
        if (read()) return true;
        Running running;
        {
            const std::scoped_lock lock(m_mutex);
            if (m_queue.empty()) return false;
            running = m_queue.front();
        }
        const bool finished = advance(running);
        const std::scoped_lock lock(m_mutex);
        m_queue.front().done = running.done + 1;
        if (finished) m_queue.pop_front();
        return !m_queue.empty();
    }
    void cancel(GenerationId id) override {
        const std::scoped_lock lock(m_mutex);
        for (Running& running : m_queue) {
            if (running.id == id) running.cancelled = true;
        }
        for (Scoring& scoring : m_scores) {
            if (scoring.id == id) scoring.cancelled = true;
        }
        for (Reading& reading : m_readings) {
            if (reading.id == id) reading.cancelled = true;
        }
    }
    Status logits(std::span<const TokenId>, uint32_t,
                  const std::function<void(std::span<const float>)>&) override {
        return {};
    }

  private:
    struct Running {
        GenerationId id = 0;
        GenerateRequest request;
        GenerateSink* sink = nullptr;
        uint32_t done = 0;
        bool cancelled = false;
    };

    struct Scoring {
        GenerationId id = 0;
        ScoreRequest request;
        ScoreSink* sink = nullptr;
        bool cancelled = false;
    };

    struct Reading {
        GenerationId id = 0;
        ReadRequest request;
        ReadSink* sink = nullptr;
        uint32_t done = 0;
        bool cancelled = false;
    };

    /// Whether something is left to read.
    bool read() {
        const std::scoped_lock lock(m_mutex);
        if (m_readings.empty()) return false;
        Reading& reading = m_readings.front();
        constexpr uint32_t kTokens = 100;
        if (reading.done == 0) reading.sink->onCost({kTokens, 0, 1000});
        reading.done += 10;
        reading.sink->onProgress(reading.done, kTokens);
        if (reading.cancelled) {
            reading.sink->onError({ErrorCode::Cancelled, "cancelled"});
        } else if (reading.done == kTokens) {
            reading.sink->onRead({kTokens, kTokens, 1000});
        } else {
            return true;
        }
        m_readings.pop_front();
        return true;
    }
    void score() {
        const std::scoped_lock lock(m_mutex);
        for (const Scoring& scoring : m_scores) {
            if (scoring.cancelled) {
                scoring.sink->onError({ErrorCode::Cancelled, "cancelled"});
                continue;
            }
            Scores scores{.promptHash = 9, .positions = {}};
            for (size_t i = 0; i < scoring.request.ids.size(); ++i) {
                const TokenId id = scoring.request.ids[i];
                scores.positions.push_back(
                    {{id, "x", 0.5}, {id + static_cast<TokenId>(i % 2), "y", 0.5}, 0, {}});
            }
            scoring.sink->onScored(std::move(scores));
        }
        m_scores.clear();
    }
    static bool advance(const Running& running) {
        GenerateSink& sink = *running.sink;
        if (running.cancelled) {
            sink.onDone({StopReason::Cancelled, {}, {}, {}, {}, {}});
            return true;
        }
        if (running.request.rawPrompt == "truncate") readTruncatedFile();
        if (running.request.rawPrompt == "fail") {
            sink.onError({ErrorCode::Device, "it failed"});
            return true;
        }
        if (running.done == 0) {
            sink.onPlan({{0}, {}, 7, 64, 9});
            for (uint32_t i = 1; i <= 1000; ++i) sink.onProgress(i, 1000);
        }
        if (running.done >= running.request.maxTokens) {
            sink.onDone({StopReason::MaxTokens, {}, {}, {}, {}, {}});
            if (running.request.rawPrompt.starts_with("/"))
                std::ofstream(running.request.rawPrompt) << "done";
            return true;
        }
        if (running.request.rawPrompt == "move" && running.done == 2) {
            sink.onDevice({"a CPU", "The GPU failed."});
            for (uint32_t i = 1; i <= 1000; ++i) sink.onProgress(i, 1000);
        }
        const auto id = static_cast<TokenId>(running.request.resumeIds.size() + running.done);
        sink.onTokens(test::chunkOf({id}, "x"));
        return false;
    }
    ModelInfo m_info;
    const std::shared_ptr<const Vocabulary> m_vocabulary = std::make_shared<FakeVocabulary>();
    std::mutex m_mutex;
    std::deque<Running> m_queue;
    std::vector<Scoring> m_scores;
    std::deque<Reading> m_readings;
    GenerationId m_nextId = 1;
};

/// A row of a text: how many bytes it has, and how many embedders there were. "rank" is a reranker, which
/// scores a pair of n bytes as n / (n + 1). "rows" makes one for each token, "noNumbers" none that can be
/// compared.
class FakeEmbedder final : public Embedder {
  public:
    explicit FakeEmbedder(const std::string& path) : m_path(path) {
        static int numMade = 0;
        m_number = static_cast<float>(++numMade);
        m_info.dim = 2;
    }

    const ModelInfo& info() const override { return m_info; }
    uint32_t maxTokens() const override { return 8; }
    bool isClassifier() const override { return m_path.find("rank") != std::string::npos; }
    Result<std::vector<TokenId>> tokenize(std::string_view text, TextUse use) const override {
        if (text.size() > 100'000) return fail(ErrorCode::InvalidArgument, "all of a long text is cut");
        std::vector<TokenId> ids(text.begin(), text.end());
        if (use == TextUse::Query) ids.insert(ids.begin(), '?');
        return ids;
    }
    Result<std::vector<TokenId>> tokenizePair(std::string_view query,
                                              std::string_view document) const override {
        if (!isClassifier()) return fail(ErrorCode::Unsupported, "{}: scores no pairs", m_path);
        std::vector<TokenId> ids(query.begin(), query.end());
        ids.insert(ids.end(), document.begin(), document.end());
        return ids;
    }
    Result<std::vector<Embedding>> embed(std::span<const std::vector<TokenId>> texts) override {
        std::vector<Embedding> rows;
        for (const auto& text : texts) {
            Embedding& row = rows.emplace_back(Embedding{2, {static_cast<float>(text.size()), m_number}});
            if (isClassifier()) row = {1, {std::log(static_cast<float>(text.size()))}};
            if (m_path.find("rows") != std::string::npos) row.values.resize(4);
            if (m_path.find("noNumbers") != std::string::npos) row.values[0] = std::nanf("");
        }
        return rows;
    }

  private:
    std::string m_path;
    float m_number = 0;
    ModelInfo m_info;
};

/// Loads FakeEngines; paths that contain "bad" fail, "hung" is never read and "/m/cut" is cut short while it
/// is inspected; there is room for two models, but not for two "large" ones; imports of "long" end when they
/// are cancelled. Loading prints to standard output, as drivers do.
inline EngineSource fakeSource() {
    return {[](const std::string& path, const LoadOptions&) -> Result<ModelInfo> {
                if (path.find("bad") != std::string::npos) return fail(ErrorCode::Corrupt, "{}: bad", path);
                while (path.find("hung") != std::string::npos) ::pause();
                if (path == "/m/cut") readTruncatedFile();
                ModelInfo info;
                info.path = path;
                if (path == "huge") info.name.assign(3'000'000, 'x');
                return info;
            },
            [](const std::string& path, const LoadOptions&,
               const ProgressFn& progress) -> Result<std::unique_ptr<Engine>> {
                if (path.find("bad") != std::string::npos) return fail(ErrorCode::Corrupt, "{}: bad", path);
                std::puts("the driver says hello");
                std::fflush(stdout);
                if (progress) progress(0.5, "reading the file");
                return std::make_unique<FakeEngine>(path);
            },
            [](const std::string& path, const LoadOptions&) -> Result<uint64_t> {
                if (path.find("bad") != std::string::npos) return fail(ErrorCode::Corrupt, "{}: bad", path);
                return path.find("large") == std::string::npos ? 10 : 100;
            },
            [](uint64_t bytes) { return bytes < 100; },
            []() -> Result<DeviceList> {
                return DeviceList{{{.name = "a CPU", .kind = "processor"}}, "there is no other"};
            },
            []() -> Result<ComputerInfo> {
                return ComputerInfo{.processor = "a CPU", .usableBytes = 9, .availableBytes = 5};
            },
            [](const protocol::Retain&) {},
            [](const std::vector<std::string>& paths, const LoadOptions&) {
                std::vector<Recognition> things;
                for (const std::string& path : paths)
                    things.push_back({.kind = "quantised",
                                      .path = path,
                                      .sentence = {},
                                      .actions = {},
                                      .info = {},
                                      .refusal = {}});
                return things;
            },
            [](const protocol::Import& request, const ProgressFn& progress,
               const std::function<bool()>& isCancelled) -> Result<protocol::Imported> {
                if (request.path.find("bad") != std::string::npos)
                    return fail(ErrorCode::Corrupt, "{}: bad", request.path);
                progress(0.5, "writing the model");
                while (request.path.find("long") != std::string::npos) {
                    if (isCancelled()) return fail(ErrorCode::Cancelled, "it was stopped");
                    ::usleep(1000);
                }
                return protocol::Imported{request.folder + "/" + request.name, 7};
            },
            [](const std::string& path) -> Result<std::unique_ptr<Embedder>> {
                if (path.find("bad") != std::string::npos) return fail(ErrorCode::Corrupt, "{}: bad", path);
                return std::make_unique<FakeEmbedder>(path);
            }};
}

}  // namespace ingle::cli
