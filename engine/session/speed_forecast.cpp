#include "engine/session/speed_forecast.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/backend/cpu/matmul_input.h"
#include "engine/base/buffer.h"
#include "engine/base/cpu_features.h"
#include "engine/base/thread_pool.h"
#include "engine/io/atomic_file.h"
#include "engine/session/computer.h"
#include "engine/session/model.h"

namespace ingle::session {
namespace {

using Clock = std::chrono::steady_clock;

/// The least and the most that the trial of memory reads.
constexpr size_t kMinReadBytes = size_t{128} << 20;
constexpr size_t kMaxReadBytes = size_t{512} << 20;
/// How many times that must be free: a trial is not worth that anything is swapped or ended for it.
constexpr uint64_t kFreeForTrial = 4;
/// Of a matrix that the threads' own caches hold: one of these a thread.
constexpr size_t kMatrixBytes = size_t{256} << 10;
constexpr uint32_t kMatrixWidth = 2048;  ///< whole blocks of every format
constexpr std::chrono::hours kFresh{24};

double secondsOf(const auto& work, int repeats) {
    double best = INFINITY;
    for (int i = 0; i < repeats; ++i) {
        const auto begin = Clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    return best;
}

/// Twice what the last cache holds, where that is told: a server's may hold 128 MB, so that what is read
/// again comes from it.
size_t readBytes() {
    const long cache = std::max(::sysconf(_SC_LEVEL3_CACHE_SIZE), 0L);
    return std::clamp(2 * static_cast<size_t>(cache), kMinReadBytes, kMaxReadBytes);
}

double memorySpeed(base::ThreadPool& pool, size_t readBytes) {
    void* memory = ::mmap(nullptr, readBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 0;
    ::madvise(memory, readBytes, MADV_HUGEPAGE);
    const std::span words(static_cast<uint64_t*>(memory), readBytes / sizeof(uint64_t));
    constexpr size_t kGrain = (size_t{1} << 20) / sizeof(uint64_t);
    // Pages that nobody wrote to are all the same one.
    pool.parallelFor(words.size(), kGrain, [&](size_t begin, size_t end, uint32_t) {
        std::ranges::fill(words.subspan(begin, end - begin), uint64_t{1});
    });
    std::vector<uint64_t> sums(words.size() / kGrain + 1);
    const double seconds = secondsOf(
        [&] {
            pool.parallelFor(words.size(), kGrain, [&](size_t begin, size_t end, uint32_t) {
                uint64_t sum = 0;
                for (size_t i = begin; i < end; ++i) sum += words[i];
                sums[begin / kGrain] = sum;
            });
        },
        3);
    ::munmap(memory, readBytes);
    return static_cast<double>(readBytes) / seconds;
}

double opSeconds(base::ThreadPool& pool) {
    constexpr int kOps = 64;
    const double seconds = secondsOf(
        [&] {
            for (int i = 0; i < kOps; ++i)
                pool.parallelFor(pool.numThreads(), 1, [](size_t, size_t, uint32_t) {});
        },
        3);
    return seconds / kOps;
}

/// 0 where memory is missing.
double formatSpeed(const quant::QuantFormat& format, base::ThreadPool& pool, base::Isa isa,
                   ActivationType activations) {
    const size_t rowBytes = kMatrixWidth / format.blockElems * format.blockBytes;
    const size_t rowsEach = std::max<size_t>(kMatrixBytes / rowBytes, 1);
    const size_t rows = rowsEach * pool.numThreads();
    const kernels::MatmulKernel kernel =
        kernels::selectMatmul(format, static_cast<uint32_t>(rows), isa, activations);
    auto weights = base::Buffer::allocate(rows * rowBytes);
    auto input = base::Buffer::allocate(kMatrixWidth * sizeof(float));
    auto output = base::Buffer::allocate(rows * sizeof(float));
    if (!weights || !input || !output) return 0;
    const std::vector<float> zeros(kMatrixWidth);
    backend::cpu::writeMatmulInput(kernel.activation, zeros, isa, input->data());
    const double seconds = secondsOf(
        [&] {
            pool.parallelFor(rows, rowsEach, [&](size_t begin, size_t end, uint32_t) {
                kernel.fn({.format = &format,
                           .weights = weights->data(),
                           .weightRowBytes = rowBytes,
                           .numOut = static_cast<uint32_t>(rows),
                           .x = input->data(),
                           .xRowBytes = backend::cpu::matmulInputBytes(kernel.activation, kMatrixWidth),
                           .y = output->floats().data(),
                           .yStride = rows,
                           .numRows = 1,
                           .k = kMatrixWidth,
                           .outBegin = static_cast<uint32_t>(begin),
                           .outEnd = static_cast<uint32_t>(end)});
            });
        },
        5);
    return static_cast<double>(weights->size()) / seconds;
}

/// Which processor, used how, the speeds are of.
std::string keyOf(const LoadOptions& options, base::Isa isa) {
    return fmt::format("{}, {} threads, {}, {}", base::processorName(),
                       options.threads ? options.threads : base::physicalCores(), base::isaName(isa),
                       options.activations == ActivationType::Auto ? "rounded" : "exact");
}

std::string pathIn(const std::string& folder) {
    return folder + "/read-speeds.json";
}

struct Remembered {
    std::string key;
    int64_t measuredAt = 0;  ///< seconds since 1970
    ReadSpeeds speeds;
};

/// Nothing where there is none, or none that can be read.
std::optional<Remembered> readRemembered(const std::string& folder) {
    if (folder.empty()) return std::nullopt;
    std::ifstream stream(pathIn(folder));
    const auto json = nlohmann::json::parse(stream, nullptr, false);
    Remembered remembered;
    try {
        remembered.key = json.at("processor").get<std::string>();
        remembered.measuredAt = json.at("measured_at").get<int64_t>();
        remembered.speeds.memoryBytesPerSecond = json.at("memory").get<double>();
        remembered.speeds.secondsPerOp = json.at("op").get<double>();
        for (const auto& [name, speed] : json.at("formats").items())
            remembered.speeds.formatBytesPerSecond[name] = speed.get<double>();
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
    const auto isSpeed = [](double value) { return value > 0 && value < 1e15; };
    if (!isSpeed(remembered.speeds.memoryBytesPerSecond) || remembered.speeds.secondsPerOp < 0 ||
        !std::ranges::all_of(remembered.speeds.formatBytesPerSecond,
                             [&](const auto& entry) { return isSpeed(entry.second); }))
        return std::nullopt;
    return remembered;
}

void remember(const std::string& folder, const Remembered& remembered) {
    if (folder.empty()) return;
    const nlohmann::json json{{"processor", remembered.key},
                              {"measured_at", remembered.measuredAt},
                              {"memory", remembered.speeds.memoryBytesPerSecond},
                              {"op", remembered.speeds.secondsPerOp},
                              {"formats", remembered.speeds.formatBytesPerSecond}};
    // Without the file it is measured again next time.
    auto file = io::AtomicFile::create(pathIn(folder));
    const std::string text = json.dump(1);
    if (file && (*file)->write(std::as_bytes(std::span(text))))
        (void)(*file)->commit(io::Durability::Unflushed);
}

int64_t now() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace

TokenReads tokenReads(const backend::Plan& plan, const backend::MemorySpec& memory, KvType kv,
                      uint32_t earlierTokens) {
    TokenReads reads;
    for (const backend::Op& op : plan.ops) {
        ++reads.numOps;
        if (op.code == backend::OpCode::Embed) continue;  // one row of the table
        for (const uint32_t index : op.weights) {
            const backend::PlanWeight& weight = plan.weights[index];
            if (weight.use != backend::WeightUse::Matrix) continue;
            const tensor::Tensor& matrix = *weight.tensor;
            uint64_t bytes = matrix.bytes();
            if (op.code == backend::OpCode::ExpertLinear) {
                const uint64_t numUsed = op.outputs[0].width / matrix.shape.dims[1];
                bytes = bytes / matrix.shape.dims[2] * numUsed;
            }
            reads.weights[std::string(matrix.format->name)] += bytes;
        }
    }
    reads.cache = uint64_t{earlierTokens} * backend::cacheBytesPerToken(memory, kv);
    for (const backend::StateSpec& state : memory.states) reads.cache += 2 * sizeof(float) * state.elems;
    return reads;
}

TokenReads answerReads(const OpenedModel& model, const LoadOptions& options) {
    // Half of a context of usual length; most conversations never fill a longer one.
    uint32_t earlier = usualContext(model.shape) / 2;
    if (model.contextTokens > 0) earlier = std::min(earlier, model.contextTokens / 2);
    return tokenReads(lowerModel(model, options, 1, 1), model.shape.memory, options.kv, earlier);
}

double foretoldSeconds(const TokenReads& reads, const ReadSpeeds& speeds) {
    double seconds =
        static_cast<double>(reads.cache) / speeds.memoryBytesPerSecond + reads.numOps * speeds.secondsPerOp;
    for (const auto& [format, bytes] : reads.weights) {
        const auto kernel = speeds.formatBytesPerSecond.find(format);
        const double limit =
            kernel == speeds.formatBytesPerSecond.end() ? speeds.memoryBytesPerSecond : kernel->second;
        seconds += static_cast<double>(bytes) / std::min(speeds.memoryBytesPerSecond, limit);
    }
    return seconds;
}

std::optional<ReadSpeeds> measureReadSpeeds(const TokenReads& reads, const LoadOptions& options) {
    const auto isa = base::chooseIsa();
    const auto system = knownSystemMemory();
    const size_t trialBytes = readBytes();
    if (!isa || (system && system->availableBytes < kFreeForTrial * trialBytes)) return std::nullopt;
    base::ThreadPool pool(options.threads ? options.threads : base::physicalCores());
    ReadSpeeds speeds{.memoryBytesPerSecond = memorySpeed(pool, trialBytes), .secondsPerOp = opSeconds(pool)};
    if (speeds.memoryBytesPerSecond == 0) return std::nullopt;
    for (const auto& [name, bytes] : reads.weights) {
        const quant::QuantFormat* format = quant::findFormat(name);
        const double speed = format ? formatSpeed(*format, pool, *isa, options.activations) : 0;
        if (speed > 0) speeds.formatBytesPerSecond[name] = speed;
    }
    return speeds;
}

std::optional<ReadSpeeds> readSpeeds(const TokenReads& reads, const LoadOptions& options) {
    const auto isa = base::chooseIsa();
    if (!isa) return std::nullopt;
    const std::string key = keyOf(options, *isa);
    auto known = readRemembered(options.trials.folder);
    if (known && known->key != key) known.reset();
    const auto knowsAll = [&] {
        return std::ranges::all_of(reads.weights, [&](const auto& entry) {
            return known->speeds.formatBytesPerSecond.contains(entry.first);
        });
    };
    const int64_t age = known ? now() - known->measuredAt : 0;
    if (known && age >= 0 && age < std::chrono::seconds(kFresh).count() && knowsAll()) return known->speeds;
    const auto measured = measureReadSpeeds(reads, options);
    if (!measured) return known ? std::optional(known->speeds) : std::nullopt;
    Remembered best{key, now(), *measured};
    if (known) {
        best.speeds.memoryBytesPerSecond =
            std::max(best.speeds.memoryBytesPerSecond, known->speeds.memoryBytesPerSecond);
        best.speeds.secondsPerOp = std::min(best.speeds.secondsPerOp, known->speeds.secondsPerOp);
        for (const auto& [name, speed] : known->speeds.formatBytesPerSecond) {
            double& kept = best.speeds.formatBytesPerSecond[name];
            kept = std::max(kept, speed);
        }
    }
    remember(options.trials.folder, best);
    return best.speeds;
}

std::optional<ReadSpeeds> rememberedSpeeds(const LoadOptions& options) {
    const auto isa = base::chooseIsa();
    const auto known = isa ? readRemembered(options.trials.folder) : std::nullopt;
    if (!known || known->key != keyOf(options, *isa)) return std::nullopt;
    return known->speeds;
}

double rememberedMemorySpeed(const std::string& folder) {
    const auto known = readRemembered(folder);
    return known ? known->speeds.memoryBytesPerSecond : 0;
}

}  // namespace ingle::session
