/// Pictures: each once, as long as a message or a draft names it, and nowhere afterwards.
#include "app/history/chats/pictures.h"

#include "app/history/store/backups.h"
#include "app/history/turns.h"
#include "ingle/sha256.h"
#include "tests/app/history/history_fixture.h"

namespace ingle::history {
namespace {

const std::string kBytes = "the bytes of a picture that nothing else has";

class Pictures : public HistoryFixture {
  protected:
    std::string keep(const std::string& bytes = kBytes) {
        return valueOf(storePicture(*m_history, {"image/png", bytes}));
    }
    int numFiles() { return sqlite().execAndGet("SELECT count(*) FROM files").getInt(); }
    /// A message with the picture, and text behind it.
    RowId send(const std::string& hash) {
        m_conversation = valueOf(createConversation(*m_history, "Bees", "model"));
        return valueOf(
            addUserMessage(*m_history, m_conversation, 0,
                           {{PartKind::Image, "A bee", hash}, {PartKind::Text, "What is it?", ""}}));
    }
};

TEST_F(Pictures, areKeptOnceAsTheyCame) {
    const std::string hash = keep();
    EXPECT_EQ(hash, sha256Hex(kBytes));
    EXPECT_EQ(keep(), hash);
    EXPECT_EQ(numFiles(), 1);
    const RowId message = send(hash);
    reopen();
    const PictureFile found = valueOf(picture(*m_history, hash));
    EXPECT_EQ(found.bytes, kBytes);
    EXPECT_EQ(found.mediaType, "image/png");
    EXPECT_EQ(valueOf(history::message(*m_history, message)).parts.front(),
              (Part{PartKind::Image, "A bee", hash}));
    EXPECT_EQ(valueOf(picturesInUse(*m_history)), std::vector{hash});
    for (const std::string& none : {std::string("../x"), std::string(64, 'a'), std::string()})
        EXPECT_FALSE(picture(*m_history, none)) << none;
}

TEST_F(Pictures, aMessageNamesNoneThatIsNotThere) {
    ask();
    EXPECT_FALSE(
        addUserMessage(*m_history, m_conversation, m_question, {{PartKind::Image, "", sha256Hex("gone")}}));
    EXPECT_EQ(valueOf(branch(*m_history, m_conversation, 0)).size(), 1u);
}

TEST_F(Pictures, goWithTheLastMessageAndLeaveNothing) {
    const std::string hash = keep();
    const RowId first = send(hash);
    const RowId copy = valueOf(copyBranch(*m_history, first));
    ASSERT_TRUE(replaceBackups(m_path));
    ASSERT_TRUE(trashConversation(*m_history, m_conversation));
    EXPECT_TRUE(picture(*m_history, hash));
    shred();
    EXPECT_TRUE(picture(*m_history, hash)) << "the copy has it still";
    ASSERT_TRUE(trashConversation(*m_history, copy));
    ASSERT_TRUE(restoreConversation(*m_history, copy));
    EXPECT_TRUE(picture(*m_history, hash));
    EXPECT_TRUE(anyFileHolds(kBytes));
    ASSERT_TRUE(trashConversation(*m_history, copy));
    shred();
    EXPECT_FALSE(picture(*m_history, hash));
    EXPECT_FALSE(anyFileHolds(kBytes));
}

TEST_F(Pictures, stayAsLongAsADraftNamesThem) {
    const std::string kept = keep("of the new chat"), other = keep("of a chat"), lost = keep();
    ask();
    ASSERT_TRUE(storeDraft(*m_history, 0, std::string("Look\x1D") + kDraftPicture + kept));
    ASSERT_TRUE(
        storeDraft(*m_history, m_conversation, std::string("\x1D") + kDraftPicture + other + "A bee"));
    EXPECT_EQ(picturesOfDraft(std::string("\x1Dtext\x1D") + kDraftPicture + other + "A bee"),
              std::vector{other});
    // What a window that was killed left: nothing names it.
    reopen();
    shred();
    EXPECT_TRUE(picture(*m_history, kept));
    EXPECT_TRUE(picture(*m_history, other));
    EXPECT_FALSE(picture(*m_history, lost));
    EXPECT_FALSE(anyFileHolds(kBytes));
    ASSERT_TRUE(storeDraft(*m_history, 0, ""));
    ASSERT_TRUE(trashConversation(*m_history, m_conversation));
    reopen();
    shred();
    EXPECT_EQ(numFiles(), 0);
}

TEST_F(Pictures, areRemovedInSlices) {
    for (int i = 0; i < 40; ++i) keep(std::string(200'000, 'x') + std::to_string(i));
    reopen();
    EXPECT_GT(shred(std::chrono::milliseconds(1)), 4);
    EXPECT_EQ(numFiles(), 0);
}

TEST_F(Pictures, ofAPrivateChatAreInMemory) {
    const auto secret = valueOf(openHistoryInMemory("pictures"));
    const auto reader = valueOf(openReaderInMemory("pictures"));
    const std::string hash = valueOf(storePicture(*secret, {"image/png", kBytes}));
    EXPECT_EQ(valueOf(picture(*reader, hash)).bytes, kBytes);
    EXPECT_FALSE(anyFileHolds(kBytes));
}

TEST_F(Pictures, aTransactionThatFailsKeepsNone) {
    EXPECT_FALSE(m_history->atOnce([&]() -> Status {
        keep();
        return fail(ErrorCode::Io, "No.");
    }));
    EXPECT_EQ(numFiles(), 0);
}

TEST_F(Pictures, areFoundByTheirDescription) {
    send(keep());
    auto found =
        m_history->database().prepare("SELECT count(*) FROM search_index WHERE search_index MATCH 'bee'");
    ASSERT_TRUE(found.executeStep());
    EXPECT_EQ(found.getColumn(0).getInt(), 1);
}

}  // namespace
}  // namespace ingle::history
