#include "engine/tokenizer/text_meter.h"

#include <algorithm>
#include <ctime>
#include <limits>

namespace ingle::tokenizer {
namespace {

constexpr size_t kWorkBeside = size_t{16} << 20, kWorkPerByte = 128;
/// Of the processor: what a unit of work takes is not the same for every pattern.
constexpr double kSecondsBeside = 1, kSecondsPerByte = 2e-6;
constexpr const char* kTooLong = "the model's tokenizer takes too long on this text";

double processorSeconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// How often a request's texts are cut at most, see session/conversations/prompt_planner.cpp.
constexpr double kTimesTogether = 32;
thread_local double t_endTogether = std::numeric_limits<double>::infinity();

size_t bytesOf(std::span<const TextSegment> segments) {
    size_t bytes = 0;
    for (const TextSegment& segment : segments) bytes += segment.text.size();
    return bytes;
}

}  // namespace

TextMeter::TextMeter(size_t textBytes)
    : base::Meter(
          kWorkBeside + kWorkPerByte * textBytes, kTooLong,
          [end = std::min(t_endTogether, processorSeconds() + kSecondsBeside +
                                             kSecondsPerByte * static_cast<double>(textBytes))]() -> Status {
              if (processorSeconds() > end) return takesTooLong();
              return {};
          }) {}

TextMeter::TextMeter(std::span<const TextSegment> segments) : TextMeter(bytesOf(segments)) {}

TextMeter::Together::Together(size_t textBytes) : m_around(t_endTogether) {
    t_endTogether =
        std::min(t_endTogether, processorSeconds() + kSecondsBeside +
                                    kTimesTogether * kSecondsPerByte * static_cast<double>(textBytes));
}
TextMeter::Together::~Together() {
    t_endTogether = m_around;
}

tl::unexpected<Error> takesTooLong() {
    return fail(ErrorCode::Unsupported, "{}", kTooLong);
}

}  // namespace ingle::tokenizer
