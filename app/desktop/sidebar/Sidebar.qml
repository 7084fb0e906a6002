// New conversation, search, and all conversations by date.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Qt.labs.qmlmodels
import Inglenook

Rectangle {
    id: sidebar

    required property ChatController chat
    required property PrivateChat secret
    required property ConversationListModel conversations
    required property Folders folders
    required property ProfileEditor profiles
    required property Actions actions
    /// That is shown in the place of the chat.
    required property string page

    /// A conversation was chosen; a drawer can close.
    signal chosen
    /// The person is done here.
    signal done
    /// Nothing is searched for any more.
    signal searchLeft

    /// Leaves the search first.
    function leave() {
        if (searchField.text.length > 0)
            searchField.clear();
        else
            done();
    }

    color: Theme.sidebar

    ColumnLayout {
        anchors.fill: parent
        anchors.topMargin: Theme.m
        spacing: Theme.m

        RowLayout {
            Layout.fillWidth: true
            Layout.leftMargin: Theme.l
            Layout.rightMargin: Theme.s

            Text {
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: "Inglenook"
                color: Theme.text
                font.pixelSize: Theme.headingSize(3)
                font.weight: Font.DemiBold
            }
            IconButton {
                objectName: "newChatButton"
                iconName: "plus"
                hint: sidebar.actions.hint("newConversation")
                onClicked: {
                    sidebar.actions.run("newConversation");
                    sidebar.chosen();
                }
            }
        }

        InputField {
            id: searchField
            objectName: "searchField"
            Layout.fillWidth: true
            Layout.leftMargin: Theme.m
            Layout.rightMargin: Theme.m
            label: qsTr("Search all conversations")
            placeholderText: qsTr("Search")
            leftPadding: Theme.iconSize(17) + 2 * Theme.s
            // Also where the sidebar is made anew, as in a window that became narrow.
            text: sidebar.conversations.searchText
            rightPadding: clearSearch.visible ? clearSearch.width : Theme.m
            onTextChanged: {
                if (text.length === 0 && sidebar.conversations.searchText.length > 0)
                    sidebar.searchLeft();
                sidebar.conversations.searchText = text;
            }
            Keys.onEscapePressed: sidebar.leave()

            IconButton {
                id: clearSearch
                objectName: "clearSearch"
                anchors.right: parent.right
                visible: searchField.text.length > 0
                iconName: "close"
                hint: qsTr("Clear the search")
                onClicked: searchField.clear()
            }
            Keys.onDownPressed: {
                list.currentIndex = 0;
                list.forceActiveFocus(Qt.TabFocusReason);
            }

            Icon {
                x: Theme.s
                anchors.verticalCenter: parent.verticalCenter
                width: Theme.iconSize(17)
                height: Theme.iconSize(17)
                name: "search"
                color: Theme.mutedText
            }
        }

        FilterRow {
            Layout.fillWidth: true
            Layout.leftMargin: Theme.m
            Layout.rightMargin: Theme.m
            visible: searchField.text.length > 0
            search: sidebar.conversations.filters
            folders: sidebar.folders
        }
        SidebarRow {
            objectName: "privateRow"
            Layout.fillWidth: true
            visible: sidebar.secret.open
            iconName: "private"
            text: qsTr("Private chat")
            shown: sidebar.secret.shown
            onClicked: {
                sidebar.actions.run("privateChat");
                sidebar.chosen();
            }
        }

        ListView {
            id: list
            objectName: "conversationList"
            Layout.fillWidth: true
            Layout.fillHeight: true
            clip: true
            activeFocusOnTab: true
            keyNavigationEnabled: true
            currentIndex: -1

            property double chosenHit: 0

            // The keyboard begins where the person is.
            onActiveFocusChanged: {
                if (activeFocus && currentIndex < 0)
                    currentIndex = Math.max(0, sidebar.conversations.rowOf(sidebar.chat.conversationId));
            }
            Keys.onEscapePressed: sidebar.leave()
            boundsBehavior: Flickable.StopAtBounds
            model: sidebar.conversations
            Accessible.role: Accessible.List
            Accessible.name: qsTr("Conversations")
            T.ScrollBar.vertical: ScrollThumb {}

            section.property: "section"
            section.delegate: Text {
                required property string section

                textFormat: Text.PlainText
                leftPadding: Theme.l
                rightPadding: Theme.l
                topPadding: Theme.m
                bottomPadding: Theme.xs
                width: ListView.view.width
                height: section.trim().length > 0 ? implicitHeight : Theme.m
                text: section
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize - 1
                font.weight: Font.Medium
                Accessible.role: Accessible.Heading
                Accessible.name: text
            }
            delegate: DelegateChooser {
                role: "kind"

                DelegateChoice {
                    roleValue: "conversation"
                    ConversationRow {
                        chat: sidebar.chat
                        covered: sidebar.secret.shown
                        conversations: sidebar.conversations
                        actions: sidebar.actions
                        width: ListView.view.width
                        menuOpen: menu.visible && menu.target === conversationId
                        chosenHit: list.chosenHit
                        onChosen: {
                            list.chosenHit = message;
                            sidebar.chosen();
                        }
                        onMenuRequested: (at, x, y) => menu.openFor(conversationId, at, x, y)
                    }
                }
                DelegateChoice {
                    FolderRow {
                        conversations: sidebar.conversations
                        width: ListView.view.width
                        menuOpen: folderActions.visible && folderActions.folder === folder
                        onMenuRequested: (at, x, y) => folderActions.openFor(folder, at, x, y)
                    }
                }
            }

            Text {
                textFormat: Text.PlainText
                anchors.horizontalCenter: parent.horizontalCenter
                y: Theme.xl
                visible: list.count === 0
                width: Math.min(implicitWidth, list.width - 2 * Theme.l)
                wrapMode: Text.Wrap
                horizontalAlignment: Text.AlignHCenter
                text: sidebar.conversations.emptySentence
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
            }
        }

        Entries {
            Layout.fillWidth: true
            visible: !selection.visible
            actions: sidebar.actions
            page: sidebar.page
        }
        SelectionBar {
            id: selection
            Layout.fillWidth: true
            conversations: sidebar.conversations
            actions: sidebar.actions
            onDone: list.forceActiveFocus()
        }
    }

    ActionMenu {
        id: menu

        function openFor(conversation: double, at: Item, x: real, y: real) {
            listed = actions.ofConversation(conversation);
            target = conversation;
            popup(at, x, y);
            currentIndex = 0;
        }

        actions: sidebar.actions
    }
    FolderMenu {
        id: folderMenu
        conversations: sidebar.conversations
        folders: sidebar.folders
    }
    PopupMenu {
        id: folderActions

        property double folder: 0

        function openFor(wanted: double, at: Item, x: real, y: real) {
            folder = wanted;
            popup(at, x, y);
        }
        function row(): FolderRow {
            for (let i = 0; i < list.count; ++i) {
                const found = list.itemAtIndex(i) as FolderRow;
                if (found && found.folder === folder)
                    return found;
            }
            return null;
        }

        objectName: "folderActions"

        PopupMenuItem {
            objectName: "folderRules"
            iconName: "settings"
            text: qsTr("Settings of the folder…")
            onTriggered: sidebar.profiles.editFolder(folderActions.folder, folderActions.row()?.title ?? "")
        }
        PopupMenuItem {
            iconName: "pencil"
            text: qsTr("Rename the folder")
            onTriggered: folderActions.row()?.startRenaming()
        }
        PopupMenuItem {
            objectName: "removeFolder"
            iconName: "trash"
            text: qsTr("Delete the folder, keep its conversations")
            onTriggered: sidebar.conversations.removeFolder(folderActions.folder)
        }
    }
    Binding {
        target: sidebar.conversations
        property: "focused"
        value: list.activeFocus ? (list.currentItem as ConversationRow)?.conversationId ?? 0 : 0
    }
    Connections {
        target: sidebar.actions
        function onPageWanted(page) {
            if (page !== "search")
                return;
            searchField.forceActiveFocus(Qt.ShortcutFocusReason);
            searchField.selectAll();
        }
        function onRenameWanted(conversation) {
            // Its row may not have been made yet.
            list.positionViewAtIndex(sidebar.conversations.rowOf(conversation), ListView.Contain);
            const row = list.itemAtIndex(sidebar.conversations.rowOf(conversation)) as ConversationRow;
            if (row)
                row.startRenaming();
        }
        function onFolderWanted(conversation) {
            // Of several, from the bar that says how many: their rows may be anywhere.
            if (sidebar.conversations.numSelected > 0) {
                folderMenu.openFor(conversation, selection, Theme.l, 0);
                return;
            }
            const row = list.itemAtIndex(sidebar.conversations.rowOf(conversation));
            folderMenu.openFor(conversation, row ?? list, Theme.l, row ? row.height : Theme.l);
        }
    }
    Connections {
        target: sidebar.conversations
        function onFolderMade(folder) {
            folderActions.folder = folder;
            nameLater.start();
        }
    }
    // Its row comes with the list, and a menu that closes takes the keyboard.
    Timer {
        id: nameLater
        interval: 30
        repeat: true
        onTriggered: {
            const row = folderActions.row();
            if (!row || folderMenu.visible)
                return;
            stop();
            row.startRenaming();
        }
    }
}
