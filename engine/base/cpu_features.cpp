#include "engine/base/cpu_features.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ingle::base {
namespace {

constexpr std::array kAllIsas{Isa::Avx512, Isa::AvxVnni, Isa::Avx2, Isa::Neon, Isa::Scalar};

}  // namespace

std::string_view isaName(Isa isa) {
    switch (isa) {
        case Isa::Scalar:
            return "scalar";
        case Isa::Neon:
            return "neon";
        case Isa::Avx2:
            return "avx2";
        case Isa::AvxVnni:
            return "avxvnni";
        case Isa::Avx512:
            return "avx512";
    }
    return "scalar";
}

#if defined(__x86_64__)
namespace {

/// Clang 14's __builtin_cpu_supports does not know this name. Like AVX2 it needs the ymm registers saved,
/// which the check for AVX2 includes.
bool hasF16c() {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C);
}

/// Dot products of bytes on ymm registers, without AVX-512. GCC 12 and Clang 14 do not know a name for it.
bool hasAvxVnni() {
    constexpr unsigned kFeatures = 7;
    constexpr unsigned kBit = 1U << 4;
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    return __get_cpuid_count(kFeatures, 1, &eax, &ebx, &ecx, &edx) && (eax & kBit);
}

}  // namespace
#endif

bool isaSupported(Isa isa) {
    // GCC's __builtin_cpu_supports also checks the XGETBV bits: whether the operating system saves the
    // registers.
    switch (isa) {
        case Isa::Scalar:
            return true;
#if defined(__x86_64__)
        case Isa::Avx2:
            return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && hasF16c();
        case Isa::AvxVnni:
            return isaSupported(Isa::Avx2) && hasAvxVnni();
        case Isa::Avx512:
            return isaSupported(Isa::Avx2) && __builtin_cpu_supports("avx512f") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vnni");
#elif defined(__aarch64__)
        case Isa::Neon:
            return true;
#endif
        default:
            return false;
    }
}

Result<Isa> chooseIsa() {
    if (const char* forced = std::getenv("INGLE_ISA"); forced && *forced) {
        const auto found = std::ranges::find_if(kAllIsas, [&](Isa isa) { return isaName(isa) == forced; });
        if (found == kAllIsas.end()) {
            return fail(ErrorCode::InvalidArgument,
                        "INGLE_ISA is \"{}\"; known are scalar, avx2, avxvnni, avx512 and neon", forced);
        }
        if (!isaSupported(*found)) {
            return fail(ErrorCode::Unsupported, "INGLE_ISA asks for {}, which this processor lacks", forced);
        }
        return *found;
    }
    return *std::ranges::find_if(kAllIsas, isaSupported);
}

namespace {

/// Those that this process may use.
uint32_t countCores() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return std::max(1u, std::thread::hardware_concurrency());
    }
    // Siblings of one core share the smallest CPU number of their thread_siblings_list.
    std::set<int> cores;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed)) continue;
        std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
        int first = cpu;
        file >> first;
        cores.insert(first);
    }
    return std::max<uint32_t>(1, static_cast<uint32_t>(cores.size()));
}

}  // namespace

uint32_t physicalCores() {
    static const uint32_t count = countCores();  // asks the system about each processor
    return count;
}

std::string processorName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name")) {
            const size_t colon = line.find(": ");
            if (colon != std::string::npos) return line.substr(colon + 2);
        }
    }
#if defined(__aarch64__)
    return "ARM processor";
#else
    return "processor";
#endif
}

}  // namespace ingle::base
