// The person's prompts, as long as the field holds a "/" and what may be the beginning of a name. The keyboard stays
// in the field.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

T.Popup {
    id: menu

    required property Prompts prompts
    /// What stands in the field.
    required property string typed
    property bool dismissed: false
    property int current: 0
    readonly property bool wanted: /^\/\S*$/.test(typed) && !dismissed
    readonly property var found: wanted && prompts.all.length >= 0 ? prompts.find(typed.substring(1)) : []
    /// The last row makes another one.
    readonly property int rows: found.length + 1

    signal chosen(string text)
    signal editWanted

    /// A key that was pressed in the field; whether it was for this.
    function take(event: var): bool {
        if (event.key === Qt.Key_Up || event.key === Qt.Key_Down)
            step(event.key === Qt.Key_Up ? -1 : 1);
        else if (event.key === Qt.Key_Escape)
            dismissed = true;
        else if ((event.key === Qt.Key_Return || event.key === Qt.Key_Enter) && !(event.modifiers & Qt.ShiftModifier))
            choose();
        else
            return false;
        return true;
    }
    function step(by: int) {
        current = Math.max(0, Math.min(rows - 1, current + by));
    }
    function choose() {
        const prompt = found[current];
        if (prompt)
            chosen(prompt.text);
        else
            editWanted();
    }

    objectName: "promptMenu"
    visible: wanted && (found.length > 0 || typed === "/")
    focus: false
    modal: false
    closePolicy: T.Popup.NoAutoClose
    padding: Theme.xs
    height: Math.min(rows * Theme.controlSize + 2 * padding, 280)
    y: -height - Theme.xs
    onTypedChanged: {
        if (typed.length === 0)
            dismissed = false;
        current = 0;
    }

    background: Rectangle {
        radius: Theme.radius
        color: Theme.popup
        border.width: 1
        border.color: Theme.line
    }
    ListView {
        anchors.fill: parent
        objectName: "promptList"
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        model: menu.rows
        currentIndex: menu.current
        // The keyboard stays in the field.
        onCurrentItemChanged: if (menu.visible && currentItem) ScreenReader.say((currentItem as T.ItemDelegate).text)
        Accessible.role: Accessible.List
        Accessible.name: qsTr("Your prompts")
        T.ScrollBar.vertical: ScrollThumb {}
        delegate: T.ItemDelegate {
            id: row

            required property int index
            readonly property var prompt: menu.found[index]

            objectName: "prompt-" + index
            width: ListView.view ? ListView.view.width : 0
            height: Theme.controlSize
            hoverEnabled: true
            focusPolicy: Qt.NoFocus
            text: prompt ? prompt.name : qsTr("Your prompts…")
            Accessible.name: text
            onClicked: {
                menu.current = index;
                menu.choose();
            }
            contentItem: RowLayout {
                spacing: Theme.m

                Text {
                    textFormat: Text.PlainText
                    Layout.leftMargin: Theme.s
                    Layout.maximumWidth: row.width / 2
                    text: row.text
                    color: row.prompt ? Theme.text : Theme.mutedText
                    font.pixelSize: Theme.smallSize
                    elide: Text.ElideRight
                }
                Text {
                    textFormat: Text.PlainText
                    Layout.fillWidth: true
                    text: row.prompt ? row.prompt.text.replace(/\s+/g, " ").substring(0, 120) : ""
                    color: Theme.mutedText
                    font.pixelSize: Theme.smallSize
                    elide: Text.ElideRight
                }
            }
            background: Rectangle {
                radius: Theme.radius
                color: row.ListView.isCurrentItem ? Theme.pressed : row.hovered ? Theme.hover : "transparent"
            }
        }
    }
}
