#include "engine/base/system_memory.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/temporary_folder.h"

namespace ingle::base {
namespace {

constexpr uint64_t kMiB = 1 << 20;

/// A made-up /proc and /sys.
class SystemMemoryTest : public testing::Test {
  protected:
    SystemMemoryTest() {
        write("proc/meminfo",
              "MemTotal:        8388608 kB\nMemFree:          102400 kB\nMemAvailable:    5242880 kB\n");
    }

    void write(const std::string& path, const std::string& text) {
        const std::filesystem::path file = m_root.path() / path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    void inGroups(const std::string& groups, const std::string& mounts) {
        write("proc/self/cgroup", groups);
        write("proc/self/mountinfo", mounts);
    }
    SystemMemory read() const {
        auto memory = readSystemMemory(m_root.path().string());
        EXPECT_TRUE(memory) << memory.error().message;
        return memory ? *memory : SystemMemory{};
    }

    test::TemporaryFolder m_root;
};

TEST_F(SystemMemoryTest, aComputerWithoutLimits) {
    const SystemMemory memory = read();
    EXPECT_EQ(memory.installedBytes, 8192 * kMiB);
    EXPECT_EQ(memory.usableBytes, 8192 * kMiB);
    EXPECT_EQ(memory.availableBytes, 5120 * kMiB);
}

TEST_F(SystemMemoryTest, theTightestGroupOfVersion2Counts) {
    inGroups("0::/user.slice/app.scope\n",
             "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
    const std::string groups = "sys/fs/cgroup/user.slice/";
    write(groups + "memory.max", "4294967296\n");
    write(groups + "memory.current", "3221225472\n");
    write(groups + "memory.stat", "anon 1\ninactive_file 1073741824\nactive_file 524288000\n");
    write(groups + "app.scope/memory.max", "max\n");
    write(groups + "app.scope/memory.current", "1048576\n");
    const SystemMemory memory = read();
    EXPECT_EQ(memory.installedBytes, 8192 * kMiB);
    EXPECT_EQ(memory.usableBytes, 4096 * kMiB);
    EXPECT_EQ(memory.availableBytes, (4096 - 3072 + 1024 + 500) * kMiB);

    write(groups + "app.scope/memory.high", "1073741824\n");
    EXPECT_EQ(read().usableBytes, 1024 * kMiB);
    EXPECT_EQ(read().availableBytes, 1023 * kMiB);
}

TEST_F(SystemMemoryTest, aLimitOfVersion1Counts) {
    inGroups("5:cpu,cpuacct:/a\n4:memory:/a/b\n0::/\n",
             "31 30 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
             "35 31 0:32 / /sys/fs/cgroup/memory\\040one rw - cgroup cgroup rw,memory\n");
    const std::string group = "sys/fs/cgroup/memory one/a/b/";
    write(group + "memory.limit_in_bytes", "2147483648\n");
    write(group + "memory.usage_in_bytes", "1073741824\n");
    write(group + "memory.stat", "inactive_file 7\ntotal_inactive_file 268435456\n");
    // No limit is a large number there.
    write("sys/fs/cgroup/memory one/a/memory.limit_in_bytes", "9223372036854771712\n");
    EXPECT_EQ(read().usableBytes, 2048 * kMiB);
    EXPECT_EQ(read().availableBytes, 1280 * kMiB);
}

TEST_F(SystemMemoryTest, aContainerSeesItsGroupAsTheTop) {
    inGroups("0::/\n", "30 23 0:26 /docker/5f /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    write("sys/fs/cgroup/memory.max", "1073741824\n");
    write("sys/fs/cgroup/memory.current", "2147483648\n");  // a limit that was lowered
    EXPECT_EQ(read().usableBytes, 1024 * kMiB);
    EXPECT_EQ(read().availableBytes, 0u);

    inGroups("0::/docker/5f/sub\n", "30 23 0:26 /docker/5f /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    write("sys/fs/cgroup/sub/memory.max", "536870912\n");
    EXPECT_EQ(read().usableBytes, 512 * kMiB);
}

TEST_F(SystemMemoryTest, damageSetsNoLimit) {
    inGroups("0:\n:::\n0::/../..\n4:memory\n", "30 23\n - \n1 2 3 / /sys/fs/cgroup rw - cgroup2\n");
    write("sys/fs/cgroup/memory.max", "many\n");
    EXPECT_EQ(read().usableBytes, 8192 * kMiB);
    EXPECT_EQ(read().availableBytes, 5120 * kMiB);
}

TEST_F(SystemMemoryTest, withoutMeminfoNothingIsKnown) {
    write("proc/meminfo", "MemTotal: 8 kB\n");
    EXPECT_EQ(readSystemMemory(m_root.path().string()).error().code, ErrorCode::Corrupt);
    std::filesystem::remove(m_root.path() / "proc/meminfo");
    EXPECT_EQ(readSystemMemory(m_root.path().string()).error().code, ErrorCode::Io);
}

TEST(SystemMemory, ofThisComputer) {
    const auto memory = readSystemMemory();
    ASSERT_TRUE(memory) << memory.error().message;
    EXPECT_GT(memory->availableBytes, 0u);
    EXPECT_LE(memory->availableBytes, memory->usableBytes);
    EXPECT_LE(memory->usableBytes, memory->installedBytes);
}

}  // namespace
}  // namespace ingle::base
