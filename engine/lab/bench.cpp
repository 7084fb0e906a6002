#include "engine/lab/bench.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <vector>

#include "engine/base/cpu_features.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/select.h"
#include "engine/lab/guessing_bench.h"
#include "engine/session/loading/model.h"
#include "engine/session/loading/speed_forecast.h"

namespace ingle::lab {
namespace {

using Clock = std::chrono::steady_clock;
using Sequences = std::vector<std::unique_ptr<backend::SequenceMemory>>;

double secondsSince(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Bytes of a field of /proc/self/status, e.g. "RssAnon"; 0 where there is none.
double statusBytes(std::string_view field) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(field) && line[field.size()] == ':')
            return std::stod(line.substr(field.size() + 1)) * 1024;
    }
    return 0;
}

/// Bytes per second of summing up the file.
double measureRead(std::span<const std::byte> file, uint32_t threads) {
    base::ThreadPool pool(threads ? threads : base::physicalCores());
    constexpr size_t kChunk = size_t{1} << 20;
    std::vector<uint64_t> sums((file.size() + kChunk - 1) / kChunk);
    double best = 0;
    for (int repeat = 0; repeat < 3; ++repeat) {
        const Clock::time_point begin = Clock::now();
        pool.parallelFor(sums.size(), 16, [&](size_t from, size_t to, uint32_t) {
            for (size_t chunk = from; chunk < to; ++chunk) {
                const size_t bytes = std::min(kChunk, file.size() - chunk * kChunk);
                const auto* words = reinterpret_cast<const uint64_t*>(file.data() + chunk * kChunk);
                uint64_t sum = 0;
                for (size_t i = 0; i < bytes / sizeof(uint64_t); ++i) sum += words[i];
                sums[chunk] = sum;
            }
        });
        best = std::max(best, static_cast<double>(file.size()) / secondsSince(begin));
    }
    return best;
}

/// Multiply-adds per second of bytes that lie in registers.
Result<double> measurePeak(uint32_t threads) {
    constexpr uint32_t kSteps = 20'000;
    INGLE_TRY_ASSIGN(const base::Isa isa, base::chooseIsa());
    const kernels::DotPeakFn peak = kernels::selectKernel(kernels::KernelOp::DotPeak, isa).dotPeak;
    base::ThreadPool pool(threads ? threads : base::physicalCores());
    double best = 0;
    for (int repeat = 0; repeat < 5; ++repeat) {
        std::atomic<uint64_t> products{0};
        const Clock::time_point begin = Clock::now();
        pool.parallelFor(size_t{pool.numThreads()} * 16, 1, [&](size_t from, size_t to, uint32_t) {
            for (; from < to; ++from) products += peak(kSteps);
        });
        best = std::max(best, static_cast<double>(products) / secondsSince(begin));
    }
    return best;
}

class Bench {
  public:
    Bench(session::Model& model, const BenchOptions& options) : m_model(model), m_options(options) {}

    /// Tokens per second of reading a prompt: the median.
    Result<double> prefill(OpProfile& profile) {
        session::Place& place = m_model.placement().place();
        INGLE_TRY_ASSIGN(backend::Program* const program, place.programFor(place.promptTokens()));
        INGLE_TRY(feedPrompt(*program, std::min(place.promptTokens(), m_options.promptTokens)));
        if (m_options.profile) program->observe(&profile);
        std::vector<double> seconds;
        for (double all = 0; seconds.empty() || (!m_options.profile && isWorthMore(seconds.size(), all));) {
            INGLE_TRY_ASSIGN(const double once, feedPrompt(*program, m_options.promptTokens));
            seconds.push_back(once);
            all += once;
        }
        program->observe(nullptr);
        m_beginning.reset();
        std::ranges::nth_element(seconds, seconds.begin() + seconds.size() / 2);
        return m_options.promptTokens / seconds[seconds.size() / 2];
    }

    /// Tokens per second of decoding.
    Result<double> decode(OpProfile& profile) {
        INGLE_TRY_ASSIGN(backend::Program* const program, programForSequences());
        Sequences sequences(m_options.sequences);
        for (auto& sequence : sequences) {
            INGLE_TRY_ASSIGN(sequence, createSequence());
        }
        if (!m_options.profile) {
            INGLE_TRY_ASSIGN(const auto queue, program->decodeAhead(answers(sequences)));
            if (queue) return decodeAhead(*queue);
        }
        uint32_t position = 0;
        INGLE_TRY(warmUp([&] { return decodeStep(*program, sequences, position++); }));
        if (m_options.profile) program->observe(&profile);
        const Clock::time_point begin = Clock::now();
        for (uint32_t i = 0; i < m_options.newTokens; ++i)
            INGLE_TRY(decodeStep(*program, sequences, position++));
        const double seconds = secondsSince(begin);
        program->observe(nullptr);
        return m_options.newTokens * m_options.sequences / seconds;
    }

  private:
    /// With the answer they fill no more than the two pages that benchModel() makes room for.
    static constexpr uint32_t kMostWarmUps = 64;

    /// Whether a prompt is read again for the median, after `runs` that took `seconds`: a device that has
    /// rested takes a while to reach its clock.
    static bool isWorthMore(size_t runs, double seconds) {
        return runs < 20 && (seconds < 0.5 || (runs < 3 && seconds < 2));
    }
    /// As an application would have it.
    backend::DecodeOrder answers(const Sequences& sequences) const {
        backend::DecodeOrder order{.rows = {}, .maxSteps = m_options.newTokens + kMostWarmUps};
        for (uint32_t i = 0; i < sequences.size(); ++i)
            order.rows.push_back({.sequence = sequences[i].get(),
                                  .token = token(i),
                                  .sampler = {.seed = i},
                                  .numIds = m_model.opened().bound.facts().vocabSize});
        return order;
    }

    /// Steps that are not measured: one, and more until a device that rested has reached its clock.
    template <typename StepFunction>
    static Status warmUp(StepFunction step) {
        const Clock::time_point begin = Clock::now();
        for (uint32_t i = 0; i == 0 || (i < kMostWarmUps && secondsSince(begin) < 0.2); ++i)
            INGLE_TRY(step());
        return {};
    }

    Result<double> decodeAhead(backend::DecodeQueue& queue) const {
        INGLE_TRY(warmUp([&]() -> Status {
            INGLE_TRY(queue.next());
            return {};
        }));
        const Clock::time_point begin = Clock::now();
        for (uint32_t i = 0; i < m_options.newTokens; ++i) INGLE_TRY(queue.next());
        return m_options.newTokens * m_options.sequences / secondsSince(begin);
    }

    /// The model's own, where it gives the logits of as many rows: a device may have no room for another.
    Result<backend::Program*> programForSequences() {
        if (m_options.sequences <= session::Model::kStepLogits) return &m_model.program();
        INGLE_TRY_ASSIGN(m_program, m_model.compileAllLogits(m_options.sequences));
        return m_program.get();
    }

    TokenId token(uint32_t position) const {
        return static_cast<TokenId>((position * 37 + 11) % m_model.opened().bound.facts().vocabSize);
    }

    /// Seconds that a prompt takes, in chunks; the logits of its last row only, as when a question is read.
    Result<double> feedPrompt(backend::Program& program, uint32_t numTokens) {
        if (!m_beginning) {
            INGLE_TRY_ASSIGN(m_beginning, createSequence());
        }
        INGLE_TRY_ASSIGN(const auto sequence, m_beginning->fork(m_options.depth));
        const Clock::time_point begin = Clock::now();
        const uint32_t piece = m_model.placement().place().promptTokens();
        for (uint32_t at = 0; at < numTokens; at += piece) {
            const uint32_t count = std::min(piece, numTokens - at);
            std::vector<TokenId> tokens(count);
            for (uint32_t i = 0; i < count; ++i) tokens[i] = token(at + i);
            const backend::SequenceRun run{sequence.get(), count};
            std::vector<uint32_t> rows;
            if (at + count == numTokens) rows = {count - 1};
            INGLE_TRY(program.run({tokens, {&run, 1}, rows}));
        }
        return secondsSince(begin);
    }

    Result<std::unique_ptr<backend::SequenceMemory>> createSequence() {
        INGLE_TRY_ASSIGN(auto sequence, m_model.memory().createSequence());
        if (m_options.depth == 0) return sequence;
        const backend::MemorySpec& spec = m_model.memorySpec();
        const KvType kv = m_model.options().kv;
        backend::SavedState state{.kvType = kv, .range = {0, m_options.depth}};
        state.bytes.resize(backend::cacheBytesPerToken(spec, kv) * m_options.depth +
                           backend::savedStateBytes(spec, m_options.depth));
        INGLE_TRY(sequence->restore(state));
        return sequence;
    }

    Status decodeStep(backend::Program& program, const Sequences& sequences, uint32_t position) {
        std::vector<backend::SequenceRun> runs;
        std::vector<TokenId> tokens;
        std::vector<uint32_t> rows;
        for (uint32_t i = 0; i < sequences.size(); ++i) {
            runs.push_back({sequences[i].get(), 1});
            tokens.push_back(token(position + i));
            rows.push_back(i);
        }
        INGLE_TRY(program.run({tokens, runs, rows}));
        for (const uint32_t row : rows) INGLE_TRY(program.readOutput(row));
        return {};
    }

    session::Model& m_model;
    const BenchOptions& m_options;
    std::unique_ptr<backend::SequenceMemory> m_beginning;  // of each prompt
    std::unique_ptr<backend::Program> m_program;           // of more sequences than answers run at once
};

}  // namespace

Result<BenchResult> benchModel(const std::string& path, const LoadOptions& load,
                               const BenchOptions& options) {
    LoadOptions wanted = load;
    if (wanted.contextTokens == 0) {
        // Room for a page more than each sequence needs.
        const uint32_t longest =
            options.depth + std::max(options.promptTokens, options.newTokens) + 2 * backend::kPageTokens;
        wanted.contextTokens = longest * (options.sequences + 1);
    }
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    INGLE_TRY_ASSIGN(const auto model, session::Model::load(source, wanted, nullptr));
    const uint32_t context = model->opened().contextTokens;
    if (const uint32_t most = options.depth + std::max(options.promptTokens, options.newTokens);
        context > 0 && most > context) {
        return fail(ErrorCode::InvalidArgument, "{} tokens do not fit the context of {}", most, context);
    }
    BenchResult result;
    Bench bench(*model, options);
    INGLE_TRY_ASSIGN(result.prefillTokensPerSecond, bench.prefill(result.prefillProfile));
    INGLE_TRY_ASSIGN(result.decodeTokensPerSecond, bench.decode(result.decodeProfile));
    const session::TokenReads reads = session::answerReads(model->opened(), wanted);
    result.decodeBytesPerSecond =
        result.decodeTokensPerSecond / options.sequences * static_cast<double>(reads.weightBytes());
    if (model->info().onProcessor) {
        result.prefillProductsPerSecond =
            result.prefillTokensPerSecond * static_cast<double>(reads.promptProducts);
        INGLE_TRY_ASSIGN(result.peakProductsPerSecond, measurePeak(load.threads));
    }
    if (options.rightGuesses || options.ownGuesses) {
        INGLE_TRY_ASSIGN(result.guessing, benchGuessing(*model, options.newTokens, options.rightGuesses));
    }
    if (options.kernels) {
        INGLE_TRY_ASSIGN(result.kernels, measureKernels(*model));
    }
    result.peakResidentBytes = statusBytes("VmHWM");
    result.peakAnonymousBytes = statusBytes("RssAnon");
    result.readBytesPerSecond = measureRead(model->opened().file.mappings.front()->bytes(), load.threads);
    result.device = model->info().device;
    return result;
}

}  // namespace ingle::lab
