/// What a rendering may use up.
#pragma once

#include "engine/base/meter.h"

namespace ingle::chat::jinja {

/// Several renderings may share one, and then one after the other has what is left.
class Meter : public base::Meter {
  public:
    static constexpr size_t kMostWork = size_t{128} << 20;

    explicit Meter(size_t mostWork = kMostWork)
        : base::Meter(mostWork,
                      fmt::format("the template takes too long: it was stopped after {} MiB of work",
                                  mostWork >> 20)) {}
};

}  // namespace ingle::chat::jinja
