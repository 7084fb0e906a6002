#include "app/serve/engine/models.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/temporary_folder.h"

namespace ingle::serve {
namespace {

class ServedModels : public testing::Test {
  protected:
    std::string file(const std::string& name) {
        std::ofstream(m_folder.file(name)) << name;
        return m_folder.file(name);
    }
    void add(const std::string& name) {
        auto library = library::Library::open(m_data).value();
        ASSERT_TRUE(library.add(file(name), name, "llama", ""));
    }

    const test::TemporaryFolder m_folder;
    const std::string m_data = m_folder.file("data");
};

TEST_F(ServedModels, OfALibraryAreThoseThatItHasNow) {
    add("first");
    const auto models = Models::ofLibrary(m_data).value();
    const auto before = models->find("first");
    ASSERT_TRUE(before);
    EXPECT_FALSE(models->find("second"));
    add("second");
    ASSERT_TRUE(models->find("second")) << "a name that is not known";
    add("third");
    EXPECT_EQ(models->all()->size(), 3u);
    EXPECT_EQ(before->name, "first") << "what was given out stays";
    {
        auto library = library::Library::open(m_data).value();
        ASSERT_TRUE(library.relocate(library.findByName("second")->id, file("moved")));
        ASSERT_TRUE(library.remove(library.findByName("third")->id));
    }
    EXPECT_EQ(models->find("second")->path, m_folder.file("moved")) << "a name that is known";
    EXPECT_FALSE(models->find("third"));
    EXPECT_EQ(models->all()->size(), 2u);
    std::ofstream(m_data + "/library.json") << R"({"version":1000})";
    EXPECT_EQ(models->all()->size(), 2u) << "a library that cannot be read";
}

TEST_F(ServedModels, ThatWereNamedStayThose) {
    add("first");
    Models models(namedModels({"first", file("other.gguf")}, m_data).value());
    add("second");
    EXPECT_FALSE(models.find("second"));
    EXPECT_EQ(models.all()->size(), 2u);
    EXPECT_FALSE(models.find("other")->isInLibrary);
    EXPECT_FALSE(namedModels({"nothing"}, m_data));
    EXPECT_FALSE(namedModels({"first", file("first")}, m_data)) << "two of one name";
}

}  // namespace
}  // namespace ingle::serve
