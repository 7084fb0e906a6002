#include "engine/session/snapshots/snapshot_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/processor_time.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

constexpr backend::TokenRange kRange{128, 64};
constexpr SnapshotKey kKey{{1, 2}};

backend::SavedState sampleState() {
    backend::SavedState state{.kvType = KvType::F16, .range = kRange};
    for (uint32_t i = 0; i < 4096; ++i) state.bytes.push_back(std::byte(i * i >> 3));
    return state;
}

class SnapshotFile : public testing::Test {
  protected:
    void SetUp() override { ASSERT_TRUE(writeSnapshot(m_path, kKey, sampleState())); }
    Result<backend::SavedState> read(uint64_t stateBytes = 4096) const {
        return readSnapshot(m_path, kKey, KvType::F16, kRange, stateBytes);
    }

    test::TemporaryFolder m_folder;
    std::string m_path = m_folder.file("a.snap");
};

TEST_F(SnapshotFile, isReadBackAsWritten) {
    const auto state = read();
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(state->bytes, sampleState().bytes);
    EXPECT_EQ(state->range.first, kRange.first);
    EXPECT_EQ(state->range.count, kRange.count);
}

TEST_F(SnapshotFile, ofSomethingElseIsRefused) {
    EXPECT_FALSE(read(4095));
    EXPECT_FALSE(readSnapshot(m_path, SnapshotKey{{1, 3}}, KvType::F16, kRange, 4096));
    EXPECT_FALSE(readSnapshot(m_path, kKey, KvType::F32, kRange, 4096));
    EXPECT_FALSE(readSnapshot(m_path, kKey, KvType::F16, {0, 64}, 4096));
    EXPECT_FALSE(readSnapshot(m_folder.file("none"), kKey, KvType::F16, kRange, 4096));
}

/// Nothing that was changed gets past the checksum.
TEST_F(SnapshotFile, DamagedIsRefused) {
    std::ifstream file(m_path, std::ios::binary);
    const std::string original{std::istreambuf_iterator<char>(file), {}};
    const char* wanted = std::getenv("INGLE_MUTATIONS");
    const int count = wanted ? std::atoi(wanted) : 1000;
    for (int i = 0; i < count; ++i) {
        SCOPED_TRACE(i);
        std::mt19937_64 random(static_cast<uint64_t>(i));
        std::string bytes = original;
        switch (random() % 3) {
            case 0:
                bytes.resize(random() % bytes.size());
                break;
            case 1:
                bytes[random() % 64] ^= static_cast<char>(1 + random() % 255);
                break;
            default:
                bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
        }
        std::ofstream(m_path, std::ios::binary) << bytes;
        const double begin = test::processorSeconds();
        EXPECT_FALSE(read());
        EXPECT_LT(test::processorSeconds() - begin, 1);
    }
}

}  // namespace
}  // namespace ingle::session
