/// Everything a person can do, of all features: shortcuts, menus, the page of shortcuts, the palette and the
/// guide come from it. A feature is an action; it earns a button that is always in view only by replacing
/// one.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QVariantList>

#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "app/desktop/services/action.h"

namespace ingle::desktop {

/// What it hands out of an action: "id", "words", "keys", "icon", and for a Shortcut "sequences" and
/// "anywhere": also while a page takes the place of the chat.
class Actions : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// Those with keys, in the order of the page of shortcuts.
    Q_PROPERTY(QVariantList withKeys READ withKeys NOTIFY changed)
    /// Those that the window's shortcuts do.
    Q_PROPERTY(QVariantList shortcuts READ shortcuts CONSTANT)
    /// Another number whenever an answer of can() may have changed: for bindings.
    Q_PROPERTY(int revision READ revision NOTIFY changed)
  public:
    using Target = std::function<history::RowId()>;

    using QObject::QObject;

    /// Adds the table of a feature, which lives as long as this.
    void add(std::vector<Action> table);
    /// Who finds the target of what is asked for without one.
    void setTarget(ActionScope scope, Target target) { m_targets[scope] = std::move(target); }
    /// Who tells how many the action would be done to, where it is a Selection.
    void setCount(std::function<int(history::RowId target)> count) { m_count = std::move(count); }
    /// For Action::run: pageWanted() of that name.
    std::function<void(history::RowId)> showPage(const char* page);
    const std::deque<Action>& all() const { return m_all; }

    QVariantList withKeys() const;
    QVariantList shortcuts() const;
    int revision() const { return m_revision; }

    /// Targets are as ActionScope says.
    Q_INVOKABLE bool can(const QString& id, qint64 target = 0) const;
    /// Nothing, where it cannot be done now.
    Q_INVOKABLE void run(const QString& id, qint64 target = 0);
    /// What it is called.
    Q_INVOKABLE QString words(const QString& id) const;
    Q_INVOKABLE QString iconOf(const QString& id) const;
    /// "Settings (Ctrl+,)", for hints.
    Q_INVOKABLE QString hint(const QString& id) const;
    /// What can be done to a conversation or a message now, for a menu.
    Q_INVOKABLE QVariantList ofConversation(qint64 conversation) const;
    Q_INVOKABLE QVariantList ofMessage(qint64 message) const;
    /// What can be done now and has all of these words.
    Q_INVOKABLE QVariantList find(const QString& words) const;

    /// An answer of can() may be another one now.
    void refresh();

  signals:
    void changed();
    /// The window is to show that page, card or dialog, or to give it the keyboard.
    void pageWanted(const QString& page);
    void renameWanted(double conversation);
    /// Into which folder is asked.
    void folderWanted(double conversation);
    /// In which form is asked; 0: all conversations.
    void exportWanted(double conversation);

  private:
    /// Null: there is none.
    const Action* named(const QString& id) const;
    history::RowId targetOf(const Action& action, qint64 target) const;
    bool can(const Action& action, qint64 target) const;
    QVariantMap described(const Action& action, qint64 target) const;
    template <typename Condition>
    QVariantList listed(const Condition& condition, qint64 target = 0) const;

    std::deque<Action> m_all;
    std::map<ActionScope, Target> m_targets;
    std::function<int(history::RowId)> m_count;
    int m_revision = 0;
};

}  // namespace ingle::desktop
