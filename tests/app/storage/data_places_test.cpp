#include "app/storage/data_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "tests/temporary_folder.h"

namespace ingle::storage {
namespace {

namespace fs = std::filesystem;

class DataPlacesTest : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(m_data); }
    void write(const std::string& path, size_t bytes, const std::string& content = "") {
        fs::create_directories(fs::path(path).parent_path());
        std::ofstream(path) << (content.empty() ? std::string(bytes, 'x') : content);
    }
    /// Of everything that is listed.
    std::map<PlaceKind, uint64_t> sizes() {
        std::map<PlaceKind, uint64_t> sizes;
        for (const DataPlace& place : dataPlaces(m_folders)) sizes[place.kind] += place.bytes;
        return sizes;
    }
    Status removeFirst(PlaceKind kind) {
        for (const DataPlace& place : dataPlaces(m_folders))
            if (place.kind == kind) return removeFiles(m_folders, place);
        return fail(ErrorCode::InvalidArgument, "There is none.");
    }
    void fill() {
        write(m_data + "/history.sqlite", 1000);
        write(m_data + "/history.sqlite-wal", 20);
        write(m_data + "/history.sqlite.backup-v3-7", 300);
        write(m_data + "/history.sqlite.backup-v2", 200);
        write(m_data + "/history.sqlite.before-restore-5", 40);
        write(m_data + "/snapshots/" + std::string(32, 'a') + ".snap", 5000);
        write(m_data + "/snapshots/" + std::string(32, 'b') + ".snap", 700);
        write(m_data + "/snapshots/documents/1", 0, std::string(32, 'a') + "\n../../outside\n");
        write(m_data + "/snapshots-serve/" + std::string(32, 'a') + ".snap", 30);
        write(m_data + "/models/one.gguf", 9000);
        write(m_data + "/models/two.gguf", 8000);
        write(m_data + "/crashes/1.txt", 11);
        write(m_data + "/library.json", 13);
        write(m_cache + "/qmlcache/a", 17);
        write(m_dir.file("outside.snap"), 100000);
        fs::create_symlink(m_dir.file("outside.snap"), m_data + "/crashes/link");
        fs::create_directory_symlink(m_dir.path(), m_data + "/snapshots/link");
    }

    test::TemporaryFolder m_dir;
    const std::string m_data = m_dir.file("data"), m_cache = m_dir.file("cache");
    const DataFolders m_folders{m_data, m_cache, "history.sqlite"};
};

TEST_F(DataPlacesTest, everyByteIsListedOnceAndNothingElse) {
    EXPECT_EQ(sizes(), (std::map<PlaceKind, uint64_t>{{PlaceKind::History, 0}}));
    fill();
    const uint64_t list = 32 + 1 + 13 + 1;  // of a document's records
    EXPECT_EQ(sizes(), (std::map<PlaceKind, uint64_t>{{PlaceKind::History, 1020},
                                                      {PlaceKind::Backups, 500},
                                                      {PlaceKind::HistoryAside, 40},
                                                      {PlaceKind::ChatMemory, 700 + list},
                                                      {PlaceKind::DocumentMemory, 5000},
                                                      {PlaceKind::MadeModel, 17000},
                                                      {PlaceKind::CrashReports, 11},
                                                      {PlaceKind::Caches, 47},
                                                      {PlaceKind::Other, 13}}));
}

TEST_F(DataPlacesTest, whatIsRemovedGoesAndNothingBesideIt) {
    fill();
    for (const PlaceKind kind :
         {PlaceKind::History, PlaceKind::ChatMemory, PlaceKind::DocumentMemory, PlaceKind::Other})
        EXPECT_FALSE(removeFirst(kind));
    for (const PlaceKind kind : {PlaceKind::Backups, PlaceKind::HistoryAside, PlaceKind::MadeModel,
                                 PlaceKind::CrashReports, PlaceKind::Caches, PlaceKind::Caches})
        EXPECT_TRUE(removeFirst(kind));
    const auto left = sizes();
    EXPECT_EQ(left.at(PlaceKind::MadeModel), 8000u);  // the second one
    for (const PlaceKind kind :
         {PlaceKind::Backups, PlaceKind::HistoryAside, PlaceKind::CrashReports, PlaceKind::Caches})
        EXPECT_FALSE(left.contains(kind));
    EXPECT_EQ(left.at(PlaceKind::History), 1020u);
    EXPECT_TRUE(fs::exists(m_dir.file("outside.snap")));
    EXPECT_FALSE(removeFiles(m_folders, {PlaceKind::MadeModel, m_dir.file("outside.snap"), 0}));
    EXPECT_TRUE(fs::exists(m_dir.file("outside.snap")));
}

TEST_F(DataPlacesTest, theOpenHistoryIsNotOneThatWasPutAside) {
    write(m_data + "/history-kept-20260101-000000.sqlite", 50);
    write(m_data + "/history.sqlite", 60);
    const DataFolders folders{m_data, "", "history-kept-20260101-000000.sqlite"};
    const auto places = dataPlaces(folders);
    ASSERT_EQ(places.size(), 2u);
    EXPECT_EQ(places[0].kind, PlaceKind::History);
    EXPECT_EQ(places[0].bytes, 50u);
    EXPECT_EQ(places[1].kind, PlaceKind::HistoryAside);
}

}  // namespace
}  // namespace ingle::storage
