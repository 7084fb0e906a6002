/// Everything a person can do, in one table: shortcuts, menus, the page of shortcuts, the palette and the
/// guide come from it. A feature is an action; it earns a button that is always in view only by replacing
/// one.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QVariantList>

#include <span>

#include "app/history/store/row_id.h"

namespace ingle::desktop {

class AppModel;

/// What an action is done to.
enum class ActionScope {
    Window,
    Conversation,  ///< target: a conversation; 0: the one shown
    Message,       ///< target: a message; 0: the last one of the branch shown
    Field,         ///< a text field or list does it, where it has the keyboard
};

struct Action {
    const char* id;
    const char* words;     ///< for people
    const char* keys;      ///< as people read them; empty: none
    const char* moreKeys;  ///< that do it as well and are told nowhere, parted by spaces
    const char* icon;      ///< a name in icons/, or empty
    ActionScope scope;
    /// Null: always.
    bool (*enabled)(AppModel& app, history::RowId target);
    /// Null: a field's.
    void (*run)(AppModel& app, history::RowId target);
};

std::span<const Action> allActions();

/// The table for QML. What it hands out of an action: "id", "words", "keys", "icon", and "sequences" for a
/// Shortcut.
class Actions : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// Those with keys, in the order of the page of shortcuts.
    Q_PROPERTY(QVariantList withKeys READ withKeys CONSTANT)
    /// Those that the window's shortcuts do.
    Q_PROPERTY(QVariantList shortcuts READ shortcuts CONSTANT)
    /// Another number whenever an answer of can() may have changed: for bindings.
    Q_PROPERTY(int revision READ revision NOTIFY changed)
  public:
    /// What the window can be asked to show, or to give the keyboard.
    enum View {
        ComposerView,
        SearchView,
        ModelsView,
        SettingsView,
        HelpView,
        PaletteView,
        ShortcutsView,
        DocumentsView,
        OpenFileView,
        TrashView,
        PromptsView,
        DataView,
        ImportFileView
    };
    Q_ENUM(View)

    explicit Actions(AppModel& app, QObject* parent = nullptr);

    QVariantList withKeys() const;
    QVariantList shortcuts() const;
    int revision() const { return m_revision; }

    /// Targets are as ActionScope says.
    Q_INVOKABLE bool can(const QString& id, qint64 target = 0) const;
    /// Nothing, where it cannot be done now.
    Q_INVOKABLE void run(const QString& id, qint64 target = 0);
    /// "Settings (Ctrl+,)", for hints.
    Q_INVOKABLE QString hint(const QString& id) const;
    /// What can be done to a conversation or a message now, for a menu.
    Q_INVOKABLE QVariantList ofConversation(qint64 conversation) const;
    Q_INVOKABLE QVariantList ofMessage(qint64 message) const;
    /// What can be done now and has all of these words.
    Q_INVOKABLE QVariantList find(const QString& words) const;

  signals:
    void changed();
    void viewWanted(ingle::desktop::Actions::View view);
    void renameWanted(double conversation);
    /// Into which folder is asked.
    void folderWanted(double conversation);
    /// In which form is asked; 0: all conversations.
    void exportWanted(double conversation);

  private:
    bool can(const Action& action, qint64 target) const;
    template <typename Condition>
    QVariantList listed(const Condition& condition) const;

    AppModel& m_app;
    int m_revision = 0;
};

}  // namespace ingle::desktop
