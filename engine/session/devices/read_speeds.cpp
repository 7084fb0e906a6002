#include "engine/session/devices/read_speeds.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "engine/backend/cpu/matmul_input.h"
#include "engine/base/buffer.h"
#include "engine/base/cpu_features.h"
#include "engine/base/thread_pool.h"
#include "engine/io/atomic_file.h"
#include "engine/quant/integers.h"
#include "engine/session/devices/computer.h"

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
size_t trialBytes() {
    const long cache = std::max(::sysconf(_SC_LEVEL3_CACHE_SIZE), 0L);
    return std::clamp(2 * static_cast<size_t>(cache), kMinReadBytes, kMaxReadBytes);
}

/// Nothing where memory is missing. Straight from the system, since huge pages are asked for: with small ones
/// it is looking up addresses that is measured.
std::optional<double> memorySpeed(base::ThreadPool& pool, size_t bytes) {
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return std::nullopt;
    ::madvise(memory, bytes, MADV_HUGEPAGE);
    const std::span words(static_cast<uint64_t*>(memory), bytes / sizeof(uint64_t));
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
    ::munmap(memory, bytes);
    return static_cast<double>(bytes) / seconds;
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

/// Nothing where memory is missing.
std::optional<double> formatSpeed(const quant::QuantFormat& format, base::ThreadPool& pool, base::Isa isa,
                                  ActivationType activations) {
    const size_t rowBytes = kMatrixWidth / format.blockElems * format.blockBytes;
    const size_t rowsEach = std::max<size_t>(kMatrixBytes / rowBytes, 1);
    const size_t rows = rowsEach * pool.numThreads();
    const kernels::MatmulKernel kernel =
        kernels::selectMatmul(format, static_cast<uint32_t>(rows), isa, activations);
    auto weights = base::Buffer::allocate(rows * rowBytes);
    auto input = base::Buffer::allocate(kMatrixWidth * sizeof(float));
    auto output = base::Buffer::allocate(rows * sizeof(float));
    if (!weights || !input || !output) return std::nullopt;
    // Moderate scales in every format: those of zeros are subnormal in MXFP4, which takes processors longer.
    std::fill_n(weights->data(), weights->size(), std::byte{0x40});
    const std::vector<float> zeros(kMatrixWidth);
    // For integers: as many as most files have.
    constexpr uint32_t kGroupBlocks = 2;
    const size_t perRow = kMatrixWidth / kernels::kActivationBlock / kGroupBlocks;
    const std::vector<float> scales(quant::findInteger(format.id) ? rows * perRow : 0, 1.0F);
    backend::cpu::MatmulInput(kernel.activation, isa).write(zeros, input->data());
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
                           .outEnd = static_cast<uint32_t>(end),
                           .beside = {.scales = scales.data(),
                                      .offsets = nullptr,
                                      .zeros = nullptr,
                                      .rowStride = perRow,
                                      .groupBlocks = kGroupBlocks}});
            });
        },
        5);
    return static_cast<double>(weights->size()) / seconds;
}

/// Which processor, used how, speeds are of.
std::string keyOf(const LoadOptions& options, base::Isa isa) {
    return fmt::format("{}, {} threads, {}, {}", base::processorName(),
                       options.threads ? options.threads : base::physicalCores(), base::isaName(isa),
                       options.activations == ActivationType::Auto ? "rounded" : "exact");
}

struct Remembered {
    int64_t measuredAt = 0;  ///< seconds since 1970
    ReadSpeeds speeds;
};
using RememberedByKey = std::map<std::string, Remembered, std::less<>>;

/// Raised when the file's layout or what is measured changes; another number is measured anew.
constexpr int kVersion = 3;
/// Ways of using the processor that are remembered; of more the oldest goes.
constexpr size_t kMostKeys = 8;

std::string pathIn(const std::string& folder) {
    return folder + "/read-speeds.json";
}

bool isPlausible(const ReadSpeeds& speeds) {
    const auto isSpeed = [](double value) { return value > 0 && value < 1e15; };
    return isSpeed(speeds.memoryBytesPerSecond) && speeds.secondsPerOp >= 0 &&
           std::ranges::all_of(speeds.formatBytesPerSecond,
                               [&](const auto& entry) { return isSpeed(entry.second); });
}

/// Empty where there is no file, or none that can be read.
RememberedByKey readRemembered(const std::string& folder) {
    if (folder.empty()) return {};
    std::ifstream stream(pathIn(folder));
    const auto json = nlohmann::json::parse(stream, nullptr, false);
    RememberedByKey all;
    try {
        if (json.at("version").get<int>() != kVersion) return {};
        for (const auto& [key, entry] : json.at("speeds").items()) {
            Remembered& one = all[key];
            one.measuredAt = entry.at("measured_at").get<int64_t>();
            one.speeds.memoryBytesPerSecond = entry.at("memory").get<double>();
            one.speeds.secondsPerOp = entry.at("op").get<double>();
            for (const auto& [name, speed] : entry.at("formats").items())
                one.speeds.formatBytesPerSecond[name] = speed.get<double>();
            if (!isPlausible(one.speeds)) return {};
        }
    } catch (const nlohmann::json::exception&) {
        return {};
    }
    return all;
}

void remember(const std::string& folder, const RememberedByKey& all) {
    if (folder.empty()) return;
    nlohmann::json speeds = nlohmann::json::object();
    for (const auto& [key, one] : all) {
        speeds[key] = {{"measured_at", one.measuredAt},
                       {"memory", one.speeds.memoryBytesPerSecond},
                       {"op", one.speeds.secondsPerOp},
                       {"formats", one.speeds.formatBytesPerSecond}};
    }
    // Without the file it is measured again next time.
    auto file = io::AtomicFile::create(pathIn(folder));
    const std::string text = nlohmann::json{{"version", kVersion}, {"speeds", speeds}}.dump(1);
    if (file && (*file)->write(std::as_bytes(std::span(text))))
        (void)(*file)->commit(io::Durability::Unflushed);
}

int64_t now() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

bool isFresh(const Remembered& one) {
    const int64_t age = now() - one.measuredAt;
    return age >= 0 && age < std::chrono::seconds(kFresh).count();
}

/// The better of each: whatever else goes on only makes a trial slower.
ReadSpeeds bestOf(ReadSpeeds a, const ReadSpeeds& b) {
    a.memoryBytesPerSecond = std::max(a.memoryBytesPerSecond, b.memoryBytesPerSecond);
    a.secondsPerOp = std::min(a.secondsPerOp, b.secondsPerOp);
    for (const auto& [name, speed] : b.formatBytesPerSecond) {
        double& kept = a.formatBytesPerSecond[name];
        kept = std::max(kept, speed);
    }
    return a;
}

}  // namespace

std::optional<ReadSpeeds> measureReadSpeeds(const FormatNames& formats, const LoadOptions& options) {
    const auto isa = base::chooseIsa();
    const auto system = knownSystemMemory();
    const size_t bytes = trialBytes();
    if (!isa || (system && system->availableBytes < kFreeForTrial * bytes)) return std::nullopt;
    base::ThreadPool pool(options.threads ? options.threads : base::physicalCores());
    const auto memory = memorySpeed(pool, bytes);
    if (!memory) return std::nullopt;
    ReadSpeeds speeds{.memoryBytesPerSecond = *memory, .secondsPerOp = opSeconds(pool)};
    for (const std::string& name : formats) {
        const quant::QuantFormat* format = quant::findFormat(name);
        if (!format) format = quant::findInteger(name);
        const auto speed = format ? formatSpeed(*format, pool, *isa, options.activations) : std::nullopt;
        if (speed) speeds.formatBytesPerSecond[name] = *speed;
    }
    return speeds;
}

std::optional<ReadSpeeds> readSpeeds(const FormatNames& formats, const LoadOptions& options) {
    const auto isa = base::chooseIsa();
    if (!isa) return std::nullopt;
    RememberedByKey all = readRemembered(options.trials.folder);
    const std::string key = keyOf(options, *isa);
    const auto known = all.find(key);
    const auto isKnown = [&](const std::string& name) {
        return known->second.speeds.formatBytesPerSecond.contains(name);
    };
    const bool fresh = known != all.end() && isFresh(known->second);
    if (fresh && std::ranges::all_of(formats, isKnown)) return known->second.speeds;
    auto measured = measureReadSpeeds(formats, options);
    if (!measured) return known == all.end() ? std::nullopt : std::optional(known->second.speeds);
    if (fresh) measured = bestOf(*measured, known->second.speeds);
    all[key] = {now(), *measured};
    if (all.size() > kMostKeys)
        all.erase(std::ranges::min_element(all, {}, [](const auto& one) { return one.second.measuredAt; }));
    remember(options.trials.folder, all);
    return measured;
}

std::optional<ReadSpeeds> rememberedSpeeds(const LoadOptions& options) {
    const auto isa = base::chooseIsa();
    if (!isa) return std::nullopt;
    const RememberedByKey all = readRemembered(options.trials.folder);
    const auto known = all.find(keyOf(options, *isa));
    return known == all.end() ? std::nullopt : std::optional(known->second.speeds);
}

}  // namespace ingle::session
