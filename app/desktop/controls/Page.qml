// A page of the window, in the place of the chat: its name, the way back, and what is on it.
import QtQuick
import QtQuick.Layouts
import Inglenook

FocusScope {
    id: page

    required property string title
    /// Beside the title.
    property alias tools: toolRow.data
    default property alias content: body.data
    /// There is room for one column only.
    readonly property bool narrow: width < Theme.narrowWidth
    /// Of what stands on it at both sides.
    readonly property real margin: narrow ? Theme.l : Theme.xl

    /// The person goes back to the chat.
    signal done

    /// Gives the keyboard to what is used first.
    function takeFocus() {
        forceActiveFocus();
    }

    Accessible.role: Accessible.Pane
    Accessible.name: title
    Keys.onEscapePressed: done()

    Rectangle {
        anchors.fill: parent
        color: Theme.window
    }
    FocusFollower {
        area: page
    }
    ColumnLayout {
        anchors.fill: parent
        spacing: 0

        RowLayout {
            Layout.fillWidth: true
            Layout.leftMargin: Theme.s
            Layout.rightMargin: page.margin
            Layout.minimumHeight: Theme.controlSize + 2 * Theme.s
            spacing: Theme.s

            IconButton {
                objectName: "pageBack"
                iconName: "chevron-left"
                hint: qsTr("Back to the chat (Esc)")
                turned: Application.layoutDirection === Qt.RightToLeft
                onClicked: page.done()
            }
            Text {
                textFormat: Text.PlainText
                Layout.fillWidth: true
                Layout.minimumWidth: Math.min(implicitWidth, 120)
                text: page.title
                color: Theme.text
                font.pixelSize: Theme.headingSize(3)
                font.weight: Font.DemiBold
                elide: Text.ElideRight
                Accessible.role: Accessible.Heading
                Accessible.name: text
            }
            RowLayout {
                id: toolRow
                spacing: Theme.s
            }
        }
        Item {
            id: body
            Layout.fillWidth: true
            Layout.fillHeight: true
        }
    }
}
