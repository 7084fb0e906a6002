// The engine's own words about an error, for whoever looks closely: folded, with a button that copies them.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

ColumnLayout {
    id: details

    required property DesktopPortal portal
    required property string words

    property bool open: false

    visible: words.length > 0
    spacing: 0
    onWordsChanged: open = false

    RowLayout {
        spacing: Theme.xs

        T.Button {
            id: header
            objectName: "errorDetails"
            Layout.preferredWidth: implicitContentWidth + Theme.s
            Layout.preferredHeight: Theme.controlSize
            hoverEnabled: true
            Keys.onReturnPressed: clicked()
            Keys.onEnterPressed: clicked()
            // A click leaves the keyboard where it is, mostly in the composer.
            focusPolicy: Qt.TabFocus
            text: qsTr("Details")
            Accessible.name: details.open ? qsTr("Hide the details") : qsTr("Show the details")
            onClicked: details.open = !details.open

            contentItem: Row {
                spacing: Theme.xs

                Icon {
                    anchors.verticalCenter: parent.verticalCenter
                    name: details.open ? "chevron-down" : "chevron-right"
                    color: Theme.mutedText
                }
                Text {
                    textFormat: Text.PlainText
                    anchors.verticalCenter: parent.verticalCenter
                    text: header.text
                    color: Theme.mutedText
                    font.pixelSize: Theme.smallSize
                }
            }
            background: Rectangle {
                radius: Theme.radius
                color: header.down ? Theme.pressed : header.hovered ? Theme.hover : "transparent"

                FocusRing {
                    shown: header.visualFocus
                }
            }
        }
        IconButton {
            objectName: "copyDetails"
            visible: details.open
            iconName: copied.running ? "check" : "copy"
            hint: qsTr("Copy the details")
            onClicked: {
                details.portal.copy(details.words);
                copied.restart();
            }

            Timer {
                id: copied
                interval: 1500
            }
        }
    }
    TextEdit {
        objectName: "errorWords"
        Layout.fillWidth: true
        Layout.leftMargin: Theme.xs
        Layout.bottomMargin: Theme.s
        visible: details.open
        text: details.words
        textFormat: TextEdit.PlainText
        readOnly: true
        selectByMouse: true
        activeFocusOnPress: false
        color: Theme.text
        selectionColor: Theme.selection
        selectedTextColor: Theme.text
        font.family: Theme.fixedFontFamily
        font.pixelSize: Theme.smallSize - 1
        wrapMode: TextEdit.WrapAtWordBoundaryOrAnywhere
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
}
