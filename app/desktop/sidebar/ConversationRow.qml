// One conversation in the sidebar, or one place a search found.
import QtQuick
import QtQuick.Templates as T
import Inglenook

T.ItemDelegate {
    id: row

    required property ChatController chat
    required property ConversationListModel conversations
    required property Actions actions
    required property double conversationId
    required property string title
    required property string snippet
    required property bool pinned
    required property bool answering
    required property bool selected
    required property bool archived
    required property double folder
    required property string spoken
    /// Where a search found something; 0: in the title, or this is no hit.
    required property double message
    /// The hit that was chosen last: others of the same conversation are not what is shown.
    required property double chosenHit
    /// Something else is shown in place of all of them.
    required property bool covered
    /// Stands below the row of a folder, and not among what was found.
    readonly property bool inFolder: snippet.length === 0 && (folder > 0 || archived)
    readonly property bool shown: !covered && chat.conversationId === conversationId
        && (snippet.length === 0 || message === chosenHit)
    property bool renaming: false

    /// The menu lies open for it.
    required property bool menuOpen

    signal chosen
    signal menuRequested(Item at, real x, real y)

    function startRenaming() {
        nameField.text = title;
        renaming = true;
        nameField.forceActiveFocus();
        nameField.selectAll();
    }
    function finishRenaming(accepted: bool) {
        if (!renaming)
            return;
        renaming = false;
        if (accepted)
            conversations.rename(conversationId, nameField.text);
        row.forceActiveFocus();
    }

    height: Theme.controlSize + Theme.xs + (snippet.length > 0 ? Math.round(20 * Math.max(1, Theme.textScale)) : 0)
    hoverEnabled: true
    highlighted: ListView.isCurrentItem && ListView.view.activeFocus
    Accessible.role: Accessible.ListItem
    Accessible.name: spoken

    onClicked: {
        conversations.clearSelection();
        if (message > 0)
            chat.openAt(conversationId, message, conversations.searchText);
        else
            chat.open(conversationId);
        chosen();
    }
    Keys.onReturnPressed: clicked()
    Keys.onEnterPressed: clicked()
    Keys.onDeletePressed: actions.run("remove", conversationId)
    Keys.onPressed: event => {
        // In a drawer the window's own shortcuts rest.
        event.accepted = true;
        if (event.key === Qt.Key_F2)
            actions.run("rename", conversationId);
        else if (event.key === Qt.Key_F10 && (event.modifiers & Qt.ShiftModifier))
            menuRequested(row, width / 2, height);
        else if (event.key === Qt.Key_Space)
            conversations.toggleSelected(conversationId);
        else
            event.accepted = false;
    }
    Keys.onMenuPressed: menuRequested(row, width / 2, height)

    contentItem: Item {
        Text {
            x: Theme.l + (row.inFolder ? Theme.l : 0)
            y: row.snippet.length > 0 ? Theme.s : (parent.height - height) / 2
            width: parent.width - x - Theme.l - (moreButton.visible || row.pinned || row.answering ? Theme.xl : 0)
            visible: !row.renaming
            text: row.title
            textFormat: Text.PlainText
            color: Theme.text
            font.pixelSize: Theme.smallSize
            font.weight: row.shown ? Font.DemiBold : Font.Normal
            elide: Text.ElideRight
        }
        Text {
            x: Theme.l
            anchors.bottom: parent.bottom
            anchors.bottomMargin: Theme.s
            width: parent.width - 2 * Theme.l
            visible: row.snippet.length > 0
            text: row.snippet
            textFormat: Text.StyledText
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize - 1
            maximumLineCount: 1
            elide: Text.ElideRight
        }
    }
    background: Rectangle {
        x: Theme.s
        width: row.width - 2 * Theme.s
        height: row.height
        radius: Theme.radius
        color: row.selected ? Theme.selection : row.shown ? Theme.pressed
            : row.hovered || row.highlighted ? Theme.hover : "transparent"

        FocusRing {
            shown: row.visualFocus || row.highlighted
        }
    }

    InputField {
        id: nameField
        anchors.fill: parent
        anchors.margins: 2
        anchors.leftMargin: Theme.s
        anchors.rightMargin: Theme.s
        visible: row.renaming
        label: qsTr("New title")
        // Not onAccepted: the key would go on to the row, which opens.
        Keys.onReturnPressed: row.finishRenaming(true)
        Keys.onEnterPressed: row.finishRenaming(true)
        Keys.onEscapePressed: row.finishRenaming(false)
        onActiveFocusChanged: if (!activeFocus) row.finishRenaming(true)
    }
    Icon {
        anchors.right: parent.right
        anchors.rightMargin: Theme.m
        anchors.verticalCenter: parent.verticalCenter
        width: Theme.iconSize(15)
        height: Theme.iconSize(15)
        name: "pin"
        color: Theme.mutedText
        visible: row.pinned && !row.answering && !moreButton.visible && !row.renaming
    }

    Rectangle {
        objectName: "answering-" + row.conversationId
        anchors.right: parent.right
        anchors.rightMargin: Theme.l
        anchors.verticalCenter: parent.verticalCenter
        width: 7
        height: 7
        radius: 3.5
        color: Theme.accent
        visible: row.answering && !moreButton.visible && !row.renaming
    }

    // Beside the content, so that a click on it is not a click on the row.
    IconButton {
        id: moreButton
        anchors.right: parent.right
        anchors.rightMargin: Theme.s
        anchors.verticalCenter: parent.verticalCenter
        visible: (row.hovered || row.menuOpen) && !row.renaming
        focusPolicy: Qt.NoFocus
        iconName: "more"
        hint: qsTr("More actions")
        onClicked: row.menuRequested(moreButton, 0, moreButton.height)
    }
    // Over the row, which takes any button for a click.
    MouseArea {
        anchors.fill: parent
        acceptedButtons: Qt.LeftButton | Qt.RightButton
        onPressed: mouse => mouse.accepted = mouse.button === Qt.RightButton
            || (mouse.modifiers & (Qt.ControlModifier | Qt.ShiftModifier)) !== 0
        onClicked: mouse => {
            if (mouse.button === Qt.RightButton)
                row.menuRequested(row, mouse.x, mouse.y);
            else if (mouse.modifiers & Qt.ShiftModifier)
                row.conversations.selectTo(row.conversationId, row.chat.conversationId);
            else
                row.conversations.toggleSelected(row.conversationId);
        }
    }
}
