/// Opens files for what reads models.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "engine/io/source.h"

namespace ingle::test {

/// The file has to be there.
inline io::Source opened(const std::string& path) {
    auto source = io::Source::open(path);
    EXPECT_TRUE(source.has_value()) << source.error().message;
    return std::move(source).value();
}

}  // namespace ingle::test
