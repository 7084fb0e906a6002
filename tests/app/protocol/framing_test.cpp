#include "app/protocol/framing.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace ingle::protocol {
namespace {

namespace fs = std::filesystem;

class Framing : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "ingle-framing-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        m_dir = pattern;
    }
    void TearDown() override { fs::remove_all(m_dir); }

    std::string m_dir;
};

TEST_F(Framing, ShortRequestsTravelInTheLine) {
    const Request request{3, Count{"hello"}};
    const auto line = frameRequest(request, m_dir);
    ASSERT_TRUE(line);
    EXPECT_EQ(*line, encode(request));
    EXPECT_TRUE(fs::is_empty(m_dir));
    const auto received = unframeRequest(*line);
    ASSERT_TRUE(received);
    EXPECT_EQ(std::get<Count>(received->body).text, "hello");
}

TEST_F(Framing, LongRequestsTravelAsAPrivateFileThatTheReceiverDeletes) {
    const std::string text(kMaxLineBytes + 5, 'x');
    const auto line = frameRequest({3, Count{text}}, m_dir);
    ASSERT_TRUE(line);
    EXPECT_LT(line->size(), 4096u);
    const std::string path = nlohmann::json::parse(*line).at("file");
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    const auto received = unframeRequest(*line);
    ASSERT_TRUE(received);
    EXPECT_EQ(received->id, 3u);
    EXPECT_EQ(std::get<Count>(received->body).text, text);
    EXPECT_TRUE(fs::is_empty(m_dir));
}

TEST_F(Framing, FilesThatAreNoRequestAreRefused) {
    const auto lineFor = [](const std::string& path) { return nlohmann::json{{"file", path}}.dump(); };
    EXPECT_EQ(unframeRequest(lineFor(m_dir + "/absent")).error().code, ErrorCode::Io);
    EXPECT_EQ(unframeRequest(lineFor(m_dir)).error().code, ErrorCode::Corrupt);
    std::ofstream(m_dir + "/nonsense") << "nonsense";
    EXPECT_EQ(unframeRequest(lineFor(m_dir + "/nonsense")).error().code, ErrorCode::Corrupt);
    // A file that names another file is not followed.
    std::ofstream(m_dir + "/first") << lineFor(m_dir + "/second");
    EXPECT_EQ(unframeRequest(lineFor(m_dir + "/first")).error().code, ErrorCode::Corrupt);
}

TEST_F(Framing, AMissingSpoolFolderIsAnError) {
    const auto line = frameRequest({3, Count{std::string(kMaxLineBytes, 'x')}}, m_dir + "/absent");
    ASSERT_FALSE(line);
    EXPECT_EQ(line.error().code, ErrorCode::Io);
}

TEST(LineSplitterTest, LinesComeOutHoweverTheBytesArrive) {
    LineSplitter splitter;
    EXPECT_FALSE(splitter.next());
    splitter.append("on");
    EXPECT_FALSE(splitter.next());
    splitter.append("e\n\n\ntwo\nthr");
    EXPECT_EQ(**splitter.next(), "one");
    EXPECT_EQ(**splitter.next(), "two");
    EXPECT_FALSE(splitter.next());
    splitter.append("ee\n");
    EXPECT_EQ(**splitter.next(), "three");
    EXPECT_FALSE(splitter.next());
}

TEST(LineSplitterTest, AnyCutOfTheStreamGivesTheSameLines) {
    const std::string stream = "\n\na\nbc\n\ndef\n";
    for (size_t first = 0; first <= stream.size(); ++first) {
        for (size_t second = first; second <= stream.size(); ++second) {
            LineSplitter splitter;
            std::vector<std::string> lines;
            const std::string_view view = stream;
            for (const auto part :
                 {view.substr(0, first), view.substr(first, second - first), view.substr(second)}) {
                splitter.append(part);
                while (const auto line = splitter.next()) lines.push_back(**line);
            }
            EXPECT_EQ(lines, (std::vector<std::string>{"a", "bc", "def"})) << first << " " << second;
        }
    }
}

TEST(LineSplitterTest, ALongLineIsReportedOnceAndSkipped) {
    LineSplitter splitter;
    const std::string piece(1 << 16, 'x');
    int errors = 0;
    for (int i = 0; i < 40; ++i) {
        splitter.append(piece);
        while (const auto line = splitter.next()) {
            ASSERT_FALSE(*line);
            ++errors;
        }
    }
    splitter.append("tail\nafter\n");
    ASSERT_EQ(errors, 1);
    EXPECT_EQ(**splitter.next(), "after");
    EXPECT_FALSE(splitter.next());

    splitter.append(std::string(kMaxLineBytes + 1, 'y') + "\n" + std::string(kMaxLineBytes, 'z') + "\n");
    EXPECT_FALSE(*splitter.next());
    EXPECT_EQ((**splitter.next()).size(), kMaxLineBytes);
}

}  // namespace
}  // namespace ingle::protocol
