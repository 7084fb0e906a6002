// One sentence that matters now; stays until it is read or no longer true.
import QtQuick
import QtQuick.Layouts
import Inglenook

Item {
    id: banner

    required property Notices notices
    required property DesktopPortal portal

    objectName: "banner"
    visible: notices.banner.length > 0
    implicitHeight: visible ? box.height + Theme.s : 0

    /// The button stands below the sentence.
    readonly property bool narrow: box.width < 480 * Theme.textScale

    component ActionButton: TextButton {
        objectName: "bannerAction"
        text: banner.notices.bannerAction
        onClicked: banner.notices.runBannerAction()
    }

    Rectangle {
        id: box
        anchors.horizontalCenter: parent.horizontalCenter
        width: Math.min(Theme.columnWidth + 2 * Theme.s, parent.width - 2 * Theme.s)
        height: column.implicitHeight + 2 * Theme.s
        radius: Theme.radius
        color: Theme.warningSurface

        // Not a layout: one inside another would keep the height of a sentence that needs fewer lines now.
        Column {
            id: column
            x: Theme.m
            y: Theme.s
            width: parent.width - Theme.m - Theme.xs
            spacing: Theme.xs

            RowLayout {
                width: parent.width
                spacing: Theme.s

                Text {
                    objectName: "bannerText"
                    Layout.fillWidth: true
                    text: banner.notices.banner
                    textFormat: Text.PlainText
                    color: Theme.text
                    font.pixelSize: Theme.smallSize
                    wrapMode: Text.Wrap
                    maximumLineCount: 8
                    elide: Text.ElideRight
                    Accessible.role: Accessible.AlertMessage
                    Accessible.name: text
                }
                ActionButton {
                    visible: text.length > 0 && !banner.narrow
                }
                IconButton {
                    objectName: "dismissBanner"
                    iconName: "close"
                    hint: qsTr("Dismiss")
                    onClicked: banner.notices.dismissBanner()
                }
            }
            ActionButton {
                width: Math.min(implicitWidth, parent.width - Theme.s)
                visible: text.length > 0 && banner.narrow
            }
            ErrorDetails {
                x: -Theme.xs
                width: parent.width - Theme.s
                portal: banner.portal
                words: banner.notices.bannerDetails
            }
        }
    }
}
